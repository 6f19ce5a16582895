package dev.sluice.cli.bench;

import java.util.concurrent.CompletionStage;

/** What is measured: something that can be asked for a key. */
interface Asked {
  void ask(String key);

  CompletionStage<?> askAsync(String key);
}

package dev.sluice.bench.redis;

import java.util.concurrent.CompletionStage;

/** Something that asks Redis once for each request: a limiter, or a plain SET to compare with. */
interface Subject extends AutoCloseable {
  /** Asks on this thread; whether it was granted. */
  boolean ask(String key) throws Exception;

  /** Asks without blocking. */
  CompletionStage<Boolean> askAsync(String key);

  /** Whether it promises never to grant more than the limit. */
  default boolean exact() {
    return true;
  }

  @Override
  void close();
}

package dev.sluice.server;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Closes one part after the other, whatever they throw. */
final class Closing {
  private @Nullable Throwable first;

  /** Closes a part; what it throws is told at the end. */
  void part(Runnable close) {
    try {
      close.run();
    } catch (RuntimeException | Error thrown) {
      Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
      Throwable failure = cause == null ? thrown : cause;
      if (first == null) {
        first = failure;
      } else if (first != failure) {
        first.addSuppressed(failure);
      }
    }
  }

  /** Throws what the first part threw that failed, with what the others threw suppressed in it. */
  void end() {
    if (first instanceof Error error) {
      throw error;
    }
    if (first instanceof RuntimeException failure) {
      throw failure;
    }
  }
}

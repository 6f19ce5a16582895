package dev.sluice.client;

import java.io.IOException;
import java.time.Duration;

/** A call was not made, because its turn would come too late, or never. */
public final class LimitExceededException extends IOException {
  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  LimitExceededException(String message, Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  /** How long until the same call could be made. */
  public Duration retryAfter() {
    return retryAfter;
  }
}

package dev.sluice;

import org.jspecify.annotations.Nullable;

/** The store did not decide: it is out of reach, too slow or in a state that forbids writes. */
public class StoreUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String reason;

  /**
   * A failure with a sentence for people and a word for metrics.
   *
   * @param reason one lower-case word out of a small fixed set, such as {@code timeout}
   */
  public StoreUnavailableException(String reason, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
  }

  /** Why, in one word out of a small fixed set: fit for a metric's label. */
  public String reason() {
    return reason;
  }
}

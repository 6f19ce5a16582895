package dev.sluice.spring;

/**
 * A call of a {@link RateLimited} method does not say who calls, or what it costs. It neither
 * passes nor counts; web applications answer 400.
 */
public class InvalidCallException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  /** A call that cannot be decided. */
  public InvalidCallException(String message) {
    super(message);
  }
}

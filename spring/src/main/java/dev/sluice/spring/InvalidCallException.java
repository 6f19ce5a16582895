package dev.sluice.spring;

/**
 * A call of a {@link RateLimited} method does not say who calls, or what it costs. It neither
 * passes nor counts; web applications answer 400.
 */
public class InvalidCallException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  private final String detail;

  /** A call that cannot be decided. */
  public InvalidCallException(String message) {
    this(message, "this request does not say who it is, or what it costs, as its limit demands");
  }

  /**
   * A call that cannot be decided.
   *
   * @param message for the log of the application
   * @param detail for the client, which should learn neither the method nor the key
   */
  public InvalidCallException(String message, String detail) {
    super(message);
    this.detail = detail;
  }

  /** What a client is told. */
  public String detail() {
    return detail;
  }
}

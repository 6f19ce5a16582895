package dev.sluice.redis.testkit;

/** An error reply of a server; the message is its full text without the leading minus. */
public final class ErrorReplyException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ErrorReplyException(String text) {
    super(text);
  }

  /** The first word, by which errors are told apart: {@code NOSCRIPT}, {@code LOADING}, … */
  public String code() {
    return text().split(" ", 2)[0];
  }

  /** The whole error as the server sent it. */
  public String text() {
    return String.valueOf(getMessage());
  }
}

package dev.sluice.redis;

import org.jspecify.annotations.Nullable;

/** A call that brought no reply, told in words that do not depend on the client library. */
final class TransportException extends Exception {
  private static final long serialVersionUID = 1;

  private final RedisFailure failure;

  TransportException(RedisFailure failure, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.failure = failure;
  }

  static TransportException ofReply(String text, @Nullable Throwable cause) {
    return new TransportException(RedisFailure.ofReply(text), text, cause);
  }

  RedisFailure failure() {
    return failure;
  }

  @Override
  public String getMessage() {
    String message = super.getMessage();
    return message == null ? failure.reason() : message;
  }
}

package dev.sluice.server;

import org.jspecify.annotations.Nullable;

/** The server cannot start; the message is one line that says what to change. */
public final class StartupException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** A reason that a person can act on. */
  public StartupException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

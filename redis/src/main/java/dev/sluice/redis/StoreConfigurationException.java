package dev.sluice.redis;

import org.jspecify.annotations.Nullable;

/**
 * The server answered, and will never work as it is set up: it refuses the credentials, is too old
 * or forbids a command. The message is one line, for whoever runs it; it holds no password.
 */
public final class StoreConfigurationException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;

  StoreConfigurationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

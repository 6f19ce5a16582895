package dev.sluice.server.resp;

import dev.sluice.StoreUnavailableException;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a command that failed answers. */
final class Failure {
  static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

  private static final Logger log = LoggerFactory.getLogger(Failure.class);

  private Failure() {}

  static Reply reply(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof StoreUnavailableException unavailable) {
      return Reply.error("UNAVAILABLE " + unavailable.getMessage());
    }
    if (cause instanceof NumberFormatException) {
      return Reply.error(NOT_AN_INTEGER);
    }
    if (cause instanceof IllegalArgumentException invalid) {
      return Reply.error("ERR " + invalid.getMessage());
    }
    log.error("a RESP command failed", cause);
    return Reply.error("ERR internal error");
  }
}

package dev.sluice.server.resp;

/** Bytes that are not RESP. The connection is told why, and closed, as Redis does. */
final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1;

  ProtocolException(String message) {
    super(message, null, false, false);
  }
}

package dev.sluice.server;

/** A port of the server, with the protocols that it speaks. */
public interface Face extends AutoCloseable {
  /** The word for it in the ready line, such as {@code resp}. */
  String name();

  /** The port it listens on. */
  int port();

  /** Stops accepting, finishes what is in flight, and frees the port. */
  @Override
  void close();
}

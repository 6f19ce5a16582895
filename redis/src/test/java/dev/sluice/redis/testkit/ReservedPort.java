package dev.sluice.redis.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A loopback port that stays ours while nothing listens on it, so that a killed server finds it
 * again.
 *
 * <p>The range lies below the ephemeral ports of Linux (32768 and up), which no outgoing connection
 * can take by chance, and so does the cluster bus at port + 10000. The mark against other JVMs is a
 * bound but not listening socket at port - 10000: it needs no lock file and dies with its JVM.
 */
final class ReservedPort implements AutoCloseable {
  private static final int FIRST = 20_000;
  private static final int COUNT = 2_700;
  private static final int BUS_OFFSET = 10_000;

  private final int number;
  private final Socket mark;

  private ReservedPort(int number, Socket mark) {
    this.number = number;
    this.mark = mark;
  }

  /** Takes a port on which, and on whose cluster bus port, nothing listens. */
  static ReservedPort take() {
    int start = ThreadLocalRandom.current().nextInt(COUNT);
    for (int i = 0; i < COUNT; i++) {
      int port = FIRST + (start + i) % COUNT;
      Socket mark = new Socket();
      try {
        mark.bind(loopback(port - BUS_OFFSET));
        probe(port);
        probe(port + BUS_OFFSET);
        return new ReservedPort(port, mark);
      } catch (IOException taken) {
        closeQuietly(mark);
      }
    }
    throw new IllegalStateException(
        "test kit: no free port from %d to %d".formatted(FIRST, FIRST + COUNT - 1));
  }

  int number() {
    return number;
  }

  static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  @Override
  public void close() {
    closeQuietly(mark);
  }

  private static void probe(int port) throws IOException {
    try (ServerSocket probe = new ServerSocket()) {
      probe.setReuseAddress(true); // As Redis does: a port in TIME_WAIT is free.
      probe.bind(loopback(port));
    }
  }

  private static void closeQuietly(Socket mark) {
    try {
      mark.close();
    } catch (IOException e) {
      throw new UncheckedIOException("test kit: cannot release a port", e);
    }
  }
}

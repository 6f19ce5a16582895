package dev.sluice.spring.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** The other side: notes when each call arrives, and refuses those it was told to refuse. */
final class Provider implements AutoCloseable {
  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  private final HttpServer server;
  private final Queue<String> refusals = new ConcurrentLinkedQueue<>();
  private final List<Long> arrivals = new CopyOnWriteArrayList<>();

  Provider() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException noPort) {
      throw new UncheckedIOException(noPort);
    }
    server.createContext("/", this::answer);
    server.start();
  }

  /** The next call is refused, to be repeated after so many seconds. */
  void refuseNext(String retryAfter) {
    refusals.add(retryAfter);
  }

  private void answer(HttpExchange exchange) throws IOException {
    arrivals.add(System.nanoTime());
    String retryAfter = refusals.poll();
    if (retryAfter != null) {
      exchange.getResponseHeaders().add("Retry-After", retryAfter);
    }
    exchange.sendResponseHeaders(retryAfter == null ? 200 : 429, BODY.length);
    exchange.getResponseBody().write(BODY);
    exchange.close();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
  }

  /** When calls arrived, by System.nanoTime. */
  List<Long> arrivals() {
    return arrivals;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

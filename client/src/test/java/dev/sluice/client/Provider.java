package dev.sluice.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The other side: a server that notes when each call arrives, and answers as it was told. */
final class Provider implements AutoCloseable {
  private record Answer(int status, String header, String value) {}

  private static final byte[] BODY = "body".getBytes(StandardCharsets.UTF_8);

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
  private final List<Long> arrivals = Collections.synchronizedList(new ArrayList<>());
  private volatile Runnable beforeAnswer = () -> {};
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger mostUnderWay = new AtomicInteger();

  Provider() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException noPort) {
      throw new UncheckedIOException(noPort);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  /** The next call is answered so; calls without such an answer are answered 200. */
  void answerNext(int status, String header, String value) {
    answers.add(new Answer(status, header, value));
  }

  /** What happens while a call is under way. */
  void beforeAnswer(Runnable event) {
    beforeAnswer = event;
  }

  private void answer(HttpExchange exchange) throws IOException {
    arrivals.add(System.nanoTime());
    beforeAnswer.run();
    mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    Answer answer = answers.poll();
    if (answer != null) {
      exchange.getResponseHeaders().add(answer.header, answer.value);
    }
    // No longer under way before the client can know: it may call again at once.
    underWay.decrementAndGet();
    exchange.sendResponseHeaders(answer == null ? 200 : answer.status, BODY.length);
    exchange.getResponseBody().write(BODY);
    exchange.close();
  }

  HttpRequest request() {
    int port = server.getAddress().getPort();
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/")).build();
  }

  /** When calls arrived, by System.nanoTime, in order. */
  List<Long> arrivals() {
    synchronized (arrivals) {
      return arrivals.stream().sorted().toList();
    }
  }

  int mostUnderWay() {
    return mostUnderWay.get();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}

package dev.sluice.examples.payments;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/** The other side: takes every call, and remembers when it came and from which worker. */
final class Provider extends Handler.Abstract implements AutoCloseable {
  private final Server server =
      new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  private final Queue<Long> arrivals = new ConcurrentLinkedQueue<>();
  private final Map<String, LongAdder> workers = new ConcurrentSkipListMap<>();

  Provider() throws Exception {
    server.setHandler(this);
    server.start();
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    arrivals.add(System.nanoTime());
    String worker = String.valueOf(request.getHeaders().get("X-Worker"));
    workers.computeIfAbsent(worker, name -> new LongAdder()).increment();
    response.setStatus(200);
    callback.succeeded();
    return true;
  }

  URI uri() {
    return server.getURI();
  }

  /** Calls by worker. */
  Map<String, LongAdder> workers() {
    return workers;
  }

  int calls() {
    return arrivals.size();
  }

  /** The most calls in any half-open window of this length. */
  int mostIn(Duration window) {
    long[] times = arrivals.stream().mapToLong(Long::longValue).sorted().toArray();
    int most = 0;
    int first = 0;
    for (int last = 0; last < times.length; last++) {
      while (times[last] - times[first] >= window.toNanos()) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception stuck) {
      throw new IllegalStateException("the provider does not stop", stuck);
    }
  }
}

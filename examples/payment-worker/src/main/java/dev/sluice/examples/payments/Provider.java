package dev.sluice.examples.payments;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;

/** The other side: takes every call, and remembers when it came and from which worker. */
final class Provider implements AutoCloseable {
  private final Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
  private final ConcurrentLinkedQueue<Long> arrivals = new ConcurrentLinkedQueue<>();
  private final Map<String, LongAdder> workers = new ConcurrentHashMap<>();

  Provider() throws Exception {
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            arrivals.add(System.nanoTime());
            String worker = String.valueOf(request.getHeaders().get("X-Worker"));
            workers.computeIfAbsent(worker, name -> new LongAdder()).increment();
            response.setStatus(200);
            callback.succeeded();
            return true;
          }
        });
    server.start();
  }

  URI uri() {
    return server.getURI();
  }

  /** Calls by worker. */
  Map<String, LongAdder> workers() {
    return workers;
  }

  /** Calls within {@code seconds} of the first. */
  long within(long seconds) {
    long[] times = times();
    long end = times.length == 0 ? 0 : times[0] + TimeUnit.SECONDS.toNanos(seconds);
    return java.util.Arrays.stream(times).filter(time -> time < end).count();
  }

  /** The most calls in any window of one second. */
  int mostInASecond() {
    long[] times = times();
    int most = 0;
    int first = 0;
    for (int last = 0; last < times.length; last++) {
      while (times[last] - times[first] >= TimeUnit.SECONDS.toNanos(1)) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  private long[] times() {
    return arrivals.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }
}

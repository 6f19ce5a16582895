package dev.sluice.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the wires of {@link Lanes} in number and alive, on a thread of its own: one attempt at a
 * time, with the pauses of {@link Link}. A wire that nobody uses is asked now and then whether the
 * server has closed it, which nothing else would tell before it is needed.
 */
final class Wiring implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A server to connect to; another object for each time that it was found. */
  private record Target(RedisAddress.@Nullable Node node) {}

  private final RedisAddress address;
  private final RedisOptions options;
  private final Lanes lanes;
  private final Thread thread;
  private volatile Target target = new Target(null);
  private volatile boolean closed;

  Wiring(RedisAddress address, RedisOptions options, Lanes lanes) {
    this.address = address;
    this.options = options;
    this.lanes = lanes;
    this.thread = new Thread(this, "sluice-redis-wiring");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Connects to this server from now on; to none if null. */
  void to(RedisAddress.@Nullable Node node) {
    target = new Target(node);
    mend();
  }

  /** Looks whether a wire is missing. */
  void mend() {
    LockSupport.unpark(thread);
  }

  void close() {
    closed = true;
    mend();
  }

  @Override
  public void run() {
    int failures = 0;
    while (!closed) {
      try {
        failures = look() ? 0 : failures + 1;
      } catch (RuntimeException | Error unforeseen) {
        // Such as too little memory: without this thread there would be no connections any more.
        failures++;
      }
      if (failures > 0) {
        sleep(TimeUnit.MILLISECONDS.toNanos(Link.pauseMillis(failures)));
      }
    }
  }

  /** Makes a wire if one is missing, or waits; false if that failed. */
  private boolean look() {
    Target wanted = target;
    RedisAddress.Node node = wanted.node;
    if (node != null && !lanes.complete()) {
      return connect(wanted, node);
    }
    long before = System.nanoTime();
    sleep(PERIOD_NANOS);
    if (System.nanoTime() - before >= PERIOD_NANOS) {
      lanes.checkFreeWires();
    }
    return true;
  }

  private void sleep(long nanos) {
    LockSupport.parkNanos(this, nanos);
    // Left here by whoever heard on this thread that he is sent elsewhere, it would keep it awake.
    boolean unused = Thread.interrupted();
  }

  @SuppressWarnings("ReferenceEquality") // the same server, found again, is another target
  private boolean connect(Target wanted, RedisAddress.Node node) {
    try {
      Wire made = Wire.open(address, options, node);
      lanes.add(made);
      if (wanted != target || closed) {
        // Whoever changed the target before this was added has not seen it.
        lanes.discard(made);
      }
      return true;
    } catch (TransportException failed) {
      LOG.debug("redis: no further connection to {}", node, failed);
      return false;
    }
  }
}

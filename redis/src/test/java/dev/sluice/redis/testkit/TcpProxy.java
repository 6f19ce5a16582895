package dev.sluice.redis.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A loopback TCP proxy that makes the network before a server slow, silent or broken.
 *
 * <p>Faults concern all connections, those that exist and those to come, until they are taken back.
 * It passes any bytes, TLS included, but knows RESP: what it counts as commands, and where {@link
 * #cutAfterRequest()} cuts, are whole messages; in other protocols, whatever one read brings. At
 * most {@value #MAX_CONNECTIONS} connections, further ones are closed at once; its threads are
 * daemons. Safe for use by several threads.
 */
public final class TcpProxy implements AutoCloseable {
  /** How many connections there can be at once. */
  public static final int MAX_CONNECTIONS = 128;

  private static final int CONNECT_MILLIS = 1_000;

  private final int target;
  private final ReservedPort port = ReservedPort.take();
  private final Set<ProxyConnection> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean cutArmed = new AtomicBoolean();
  private final AtomicLong connections = new AtomicLong();
  private final AtomicLong commands = new AtomicLong();
  private final AtomicLong repliesDropped = new AtomicLong();
  private final AtomicLong bytesToServer = new AtomicLong();
  private final AtomicLong bytesToClients = new AtomicLong();
  private ServerSocket listener; // guarded by this
  private Thread acceptor; // guarded by this
  private volatile long delayNanos;
  private volatile boolean dropReplies;
  private volatile boolean closed;
  private boolean paused; // guarded by this

  private TcpProxy(int target) {
    this.target = target;
    this.listener = listen();
    this.acceptor = acceptFrom(listener);
  }

  /** Starts a proxy, with no fault yet, before a loopback port. */
  public static TcpProxy to(int target) {
    return new TcpProxy(target);
  }

  /** The port to which clients connect; the same for the whole life of this object. */
  public int port() {
    return port.number();
  }

  /**
   * Makes every reply come later by this time: the server runs a request at once, the client learns
   * it late. Replies do not wait for each other, so a pipeline is late once. Zero ends it.
   */
  public void delay(Duration time) {
    delayNanos = time.toNanos();
  }

  /** Holds all bytes both ways; connections still open. Nothing is lost. */
  public synchronized void pause() {
    paused = true;
  }

  /** Lets go what {@link #pause()} held. */
  public synchronized void resume() {
    paused = false;
    notifyAll();
  }

  /** Resets all connections (RST); new ones are still taken. */
  public void cut() {
    open.forEach(ProxyConnection::reset);
  }

  /** Refuses new connections, as if no process listened; those that exist live on. */
  public synchronized void refuse() {
    try {
      listener.close();
      // The kernel accepts until the thread blocked on the socket has let go of it.
      acceptor.join();
    } catch (IOException e) {
      throw new UncheckedIOException("proxy %d: cannot stop listening".formatted(port()), e);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("proxy %d: interrupted".formatted(port()), stopped);
    }
  }

  /** Takes new connections again. */
  public synchronized void accept() {
    if (listener.isClosed()) {
      listener = listen();
      acceptor = acceptFrom(listener);
    }
  }

  /**
   * Loses the reply to the next request: it goes to the server, which runs it, but instead of the
   * reply the connection ends. Replies to requests before it on the same connection are delivered;
   * requests behind it are not sent. Concerns one request, of whichever connection is first.
   */
  public void cutAfterRequest() {
    cutArmed.set(true);
  }

  /**
   * Swallows all replies while requests go through. A connection that has lost a reply is out of
   * step for good: {@link #cut()} it before {@link #deliverReplies()}.
   */
  public void dropReplies() {
    dropReplies = true;
  }

  /** Lets replies through again. */
  public void deliverReplies() {
    dropReplies = false;
  }

  /** Connections taken since the start. */
  public long connections() {
    return connections.get();
  }

  /** Connections open now. */
  public int openConnections() {
    return open.size();
  }

  /** Whole requests written to the server since the start, handshakes included. */
  public long commands() {
    return commands.get();
  }

  /** Replies, or pieces of large ones, lost by {@link #dropReplies} or {@link #cutAfterRequest}. */
  public long repliesDropped() {
    return repliesDropped.get();
  }

  /** Bytes written to the server since the start. */
  public long bytesToServer() {
    return bytesToServer.get();
  }

  /** Bytes written to clients since the start. */
  public long bytesToClients() {
    return bytesToClients.get();
  }

  /** Resets all connections and frees the port. */
  @Override
  public void close() {
    closed = true;
    refuse();
    cut();
    port.close();
  }

  private ServerSocket listen() {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(ReservedPort.loopback(port()), MAX_CONNECTIONS);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException("proxy %d: cannot listen".formatted(port()), e);
    }
  }

  private Thread acceptFrom(ServerSocket socket) {
    Thread thread = new Thread(() -> acceptLoop(socket), "proxy-" + port() + "-accept");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void acceptLoop(ServerSocket socket) {
    while (true) {
      try {
        Socket client = socket.accept();
        connections.incrementAndGet();
        connect(client);
      } catch (IOException refusingOrServerDown) {
        if (socket.isClosed()) {
          return;
        }
      }
    }
  }

  private void connect(Socket client) throws IOException {
    Socket server = new Socket();
    try {
      if (open.size() >= MAX_CONNECTIONS) {
        throw new IOException("too many connections");
      }
      server.connect(ReservedPort.loopback(target), CONNECT_MILLIS);
      ProxyConnection connection = new ProxyConnection(this, client, server);
      open.add(connection);
      connection.start();
      if (closed) {
        connection.reset(); // It came in after close() had cut all it saw.
      }
    } catch (IOException e) {
      ProxyConnection.reset(client);
      ProxyConnection.reset(server);
      throw e;
    }
  }

  /** Blocks a writer while the proxy is paused or until a moment of nanoTime has come. */
  synchronized void awaitTurn(long dueNanos) throws InterruptedException {
    long early = dueNanos - System.nanoTime();
    while (paused || early > 0) {
      if (paused) {
        wait();
      } else {
        wait(early / 1_000_000, (int) (early % 1_000_000));
      }
      early = dueNanos - System.nanoTime();
    }
  }

  long delayNanos() {
    return delayNanos;
  }

  boolean takeCut() {
    return cutArmed.compareAndSet(true, false);
  }

  boolean dropsReplies() {
    return dropReplies;
  }

  void sent(int bytes, int requests) {
    bytesToServer.addAndGet(bytes);
    commands.addAndGet(requests);
  }

  void delivered(int bytes) {
    bytesToClients.addAndGet(bytes);
  }

  void dropped() {
    repliesDropped.incrementAndGet();
  }

  void ended(ProxyConnection connection) {
    open.remove(connection);
  }
}

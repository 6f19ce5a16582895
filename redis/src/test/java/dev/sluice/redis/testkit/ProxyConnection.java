package dev.sluice.redis.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * One client's way through a {@link TcpProxy}.
 *
 * <p>Each direction has a reader, which notes when bytes came, and a writer, which lets them go
 * when their time has come; were they one thread, a delay would also put off the reading of what
 * comes next, and pipelined replies would be late twice. A full queue stops the reader, so a pause
 * holds a bounded amount and then pushes back by TCP.
 */
final class ProxyConnection {
  private static final int PIECE = 16 * 1024;
  private static final int QUEUE = 64;
  private static final long NONE = Long.MAX_VALUE;

  private final TcpProxy proxy;
  private final Socket client;
  private final Socket server;
  private final RespFrames requestFrames = new RespFrames();
  private final RespFrames replyFrames = new RespFrames();
  private final List<Thread> threads;
  private long requests; // seen by the request writer
  private long replies; // seen by the reply writer
  private boolean inPush; // as seen by the reply writer
  private volatile long lastRequest = NONE; // the one whose reply is to be lost

  ProxyConnection(TcpProxy proxy, Socket client, Socket server) throws IOException {
    this.proxy = proxy;
    this.client = client;
    this.server = server;
    client.setTcpNoDelay(true);
    server.setTcpNoDelay(true);
    BlockingQueue<Piece> toServer = new ArrayBlockingQueue<>(QUEUE);
    BlockingQueue<Piece> toClient = new ArrayBlockingQueue<>(QUEUE);
    threads =
        List.of(
            thread("requests-in", () -> read(client, toServer, false)),
            thread("requests-out", () -> write(toServer, this::forwardRequests)),
            thread("replies-in", () -> read(server, toClient, true)),
            thread("replies-out", () -> write(toClient, this::forwardReplies)));
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** Ends both sides with RST, so that the peers see "connection reset". */
  void reset() {
    reset(client);
    reset(server);
    ended();
  }

  static void reset(Socket socket) {
    try {
      if (!socket.isClosed()) {
        socket.setSoLinger(true, 0);
      }
    } catch (IOException closedByAnotherThread) {
      return;
    }
    close(socket);
  }

  private void end() {
    close(client);
    close(server);
    ended();
  }

  private void ended() {
    proxy.ended(this);
    threads.forEach(Thread::interrupt);
  }

  private void forwardRequests(byte[] piece) throws IOException {
    if (requests >= lastRequest) {
      return;
    }
    int end = 0;
    int complete = 0;
    while (end < piece.length && requests < lastRequest) {
      if (requestFrames.atStart() && proxy.takeCut()) {
        lastRequest = requests + 1;
      }
      end = requestFrames.next(piece, end);
      if (requestFrames.atStart()) {
        requests++;
        complete++;
      }
    }
    proxy.sent(end, complete);
    server.getOutputStream().write(piece, 0, end);
  }

  private void forwardReplies(byte[] piece) throws IOException {
    int end = 0;
    while (end < piece.length) {
      if (replyFrames.atStart()) {
        inPush = piece[end] == '>'; // No reply, though it may come between two.
        if (!inPush && replies + 1 == lastRequest) {
          deliver(piece, end);
          proxy.dropped();
          end();
          return;
        }
      }
      end = replyFrames.next(piece, end);
      if (replyFrames.atStart() && !inPush) {
        replies++;
      }
    }
    deliver(piece, end);
  }

  private void deliver(byte[] piece, int length) throws IOException {
    if (proxy.dropsReplies()) {
      proxy.dropped();
    } else if (length > 0) {
      proxy.delivered(length);
      client.getOutputStream().write(piece, 0, length);
    }
  }

  private void read(Socket from, BlockingQueue<Piece> queue, boolean delayed)
      throws InterruptedException {
    byte[] buffer = new byte[PIECE];
    try {
      InputStream in = from.getInputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        long due = System.nanoTime() + (delayed ? proxy.delayNanos() : 0);
        queue.put(new Piece(Arrays.copyOf(buffer, n), due));
      }
    } catch (IOException resetByPeer) {
      queue.put(Piece.END);
      return;
    }
    queue.put(Piece.END);
  }

  private void write(BlockingQueue<Piece> queue, Forward forward) throws InterruptedException {
    try {
      for (Piece piece = queue.take(); piece != Piece.END; piece = queue.take()) {
        proxy.awaitTurn(piece.dueNanos);
        forward.piece(piece.bytes);
      }
      proxy.awaitTurn(System.nanoTime());
      end();
    } catch (IOException resetByPeer) {
      end();
    }
  }

  private Thread thread(String name, Work work) {
    Runnable untilInterrupted =
        () -> {
          try {
            work.run();
          } catch (InterruptedException connectionEnded) {
            Thread.currentThread().interrupt();
          }
        };
    Thread thread = new Thread(untilInterrupted, "proxy-" + proxy.port() + "-" + name);
    thread.setDaemon(true);
    return thread;
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException("proxy: cannot close a socket", e);
    }
  }

  /** Bytes as one read brought them; none mean the end of the stream. */
  private static final class Piece {
    static final Piece END = new Piece(new byte[0], 0);

    final byte[] bytes;
    final long dueNanos;

    Piece(byte[] bytes, long dueNanos) {
      this.bytes = bytes;
      this.dueNanos = dueNanos;
    }
  }

  private interface Forward {
    void piece(byte[] bytes) throws IOException;
  }

  private interface Work {
    void run() throws InterruptedException;
  }
}

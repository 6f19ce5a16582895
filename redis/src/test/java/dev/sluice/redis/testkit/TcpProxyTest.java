package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TcpProxyTest {
  private static final Duration SOON = Duration.ofSeconds(5);

  private static RedisServer server;
  private TcpProxy proxy;

  @BeforeAll
  static void startServer() {
    server = RedisServer.on(RedisBinary.bundled()).start();
  }

  @AfterAll
  static void closeServer() {
    server.close();
  }

  @BeforeEach
  void startProxy() {
    server.command("FLUSHALL");
    proxy = TcpProxy.to(server.port());
  }

  @AfterEach
  void closeProxy() {
    proxy.close();
  }

  @Test
  void passesAndCounts() {
    try (Resp resp = Resp.connect(proxy.port())) {
      assertEquals("PONG", resp.command("PING"));
      String large = "x".repeat(1_000_000);
      resp.command("SET", "k", large);
      assertEquals(large, resp.command("GET", "k"));
      assertEquals(3, proxy.commands());
      assertEquals(1, proxy.connections());
      assertEquals(1, proxy.openConnections());
      assertTrue(proxy.bytesToServer() > 1_000_000);
      assertTrue(proxy.bytesToClients() > 1_000_000);
    }
    Await.until(SOON, () -> proxy.openConnections() == 0, "the connection is gone");
  }

  @Test
  void delayMakesAPipelineLateOnce() {
    try (Resp resp = Resp.connect(proxy.port())) {
      resp.command("PING");
      proxy.delay(Duration.ofMillis(500));
      long start = System.nanoTime();
      resp.send("INCR", "n");
      Await.until(SOON, () -> "1".equals(server.command("GET", "n")), "the server has run it");
      resp.send("INCR", "n");
      assertEquals(1L, resp.receive());
      assertTrue(millisSince(start) >= 500);
      assertEquals(2L, resp.receive());
      assertTrue(millisSince(start) < 950, "late twice: " + millisSince(start) + " ms");
      proxy.delay(Duration.ZERO);
      assertEquals(3L, resp.command("INCR", "n"));
    }
  }

  @Test
  void pauseHoldsRequestsAndRepliesAndLosesNothing() {
    try (Resp resp = Resp.connect(proxy.port())) {
      resp.command("PING");
      long replied = proxy.bytesToClients();
      proxy.pause();
      resp.send("INCR", "n");
      try (Resp other = Resp.connect(proxy.port())) {
        other.send("INCR", "n");
        Await.until(SOON, () -> proxy.openConnections() == 2, "connections still open");
        assertEquals(1, proxy.commands());
        assertEquals(replied, proxy.bytesToClients());
        assertNull(server.command("GET", "n"));
        proxy.resume();
        assertEquals(3L, (Long) resp.receive() + (Long) other.receive());
      }
    }
  }

  @Test
  void cutResetsConnectionsAndTakesNewOnes() {
    try (Resp resp = Resp.connect(proxy.port())) {
      resp.command("PING");
      proxy.cut();
      UncheckedIOException failure =
          assertThrows(UncheckedIOException.class, () -> resp.command("PING"));
      assertInstanceOf(SocketException.class, failure.getCause());
    }
    try (Resp resp = Resp.connect(proxy.port())) {
      assertEquals("PONG", resp.command("PING"));
    }
  }

  @Test
  void cutWorksWhilePaused() {
    try (Resp resp = Resp.connect(proxy.port())) {
      resp.command("PING");
      proxy.pause();
      resp.send("INCR", "n");
      proxy.cut();
      assertThrows(UncheckedIOException.class, resp::receive);
      proxy.resume();
      assertNull(server.command("GET", "n"));
    }
  }

  @Test
  void refusesNewConnectionsOnlyUntilAcceptedAgain() {
    try (Resp resp = Resp.connect(proxy.port())) {
      resp.command("PING");
      proxy.refuse();
      UncheckedIOException failure =
          assertThrows(UncheckedIOException.class, () -> Resp.connect(proxy.port()));
      assertInstanceOf(ConnectException.class, failure.getCause());
      assertEquals("PONG", resp.command("PING"));
      proxy.accept();
      try (Resp other = Resp.connect(proxy.port())) {
        assertEquals("PONG", other.command("PING"));
      }
    }
  }

  @Test
  void cutAfterRequestRunsItOnceAndLosesOnlyItsReply() {
    try (Resp resp = Resp.connect(proxy.port())) {
      resp.command("PING");
      proxy.cutAfterRequest();
      UncheckedIOException failure =
          assertThrows(UncheckedIOException.class, () -> resp.command("INCR", "n"));
      assertInstanceOf(EOFException.class, failure.getCause());
      assertEquals("1", server.command("GET", "n"));
      assertEquals(1, proxy.repliesDropped());
    }
    try (Resp resp = Resp.connect(proxy.port())) {
      assertEquals(2L, resp.command("INCR", "n"));
    }
  }

  @Test
  void cutAfterRequestDeliversRepliesOfEarlierRequests() {
    try (Resp resp = Resp.connect(proxy.port())) {
      proxy.delay(Duration.ofMillis(100));
      resp.send("INCR", "n");
      Await.until(SOON, () -> "1".equals(server.command("GET", "n")), "the server has run it");
      proxy.cutAfterRequest();
      resp.write(
          "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n"
              .getBytes(StandardCharsets.US_ASCII));
      assertEquals(1L, resp.receive());
      assertThrows(UncheckedIOException.class, resp::receive);
      assertEquals("2", server.command("GET", "n"), "the request behind the cut was not sent");
    }
  }

  @Test
  void dropRepliesLetsRequestsThrough() {
    try (Resp resp = Resp.connect(proxy.port())) {
      resp.command("PING");
      proxy.dropReplies();
      resp.send("INCR", "n");
      Await.until(SOON, () -> proxy.repliesDropped() == 1, "the reply was dropped");
      assertEquals("1", server.command("GET", "n"));
      proxy.deliverReplies();
      assertEquals(2L, resp.command("INCR", "n"));
    }
  }

  @Test
  void deadServerLooksDeadThroughTheProxy() {
    try (RedisServer dead = RedisServer.on(RedisBinary.bundled()).start();
        TcpProxy before = TcpProxy.to(dead.port())) {
      dead.kill9();
      assertThrows(UncheckedIOException.class, () -> Resp.connect(before.port()).command("PING"));
      dead.restart();
      try (Resp resp = Resp.connect(before.port())) {
        assertEquals("PONG", resp.command("PING"));
      }
    }
  }

  @Test
  void connectionsAreBounded() {
    List<Resp> all = new ArrayList<>();
    for (int i = 0; i < TcpProxy.MAX_CONNECTIONS; i++) {
      all.add(Resp.connect(proxy.port()));
    }
    all.forEach(resp -> assertEquals("PONG", resp.command("PING")));
    assertThrows(UncheckedIOException.class, () -> Resp.connect(proxy.port()).command("PING"));
    all.forEach(Resp::close);
  }

  @Test
  void closeEndsAllThreads() {
    Resp.connect(proxy.port()).command("PING");
    String prefix = "proxy-" + proxy.port() + "-";
    proxy.close();
    Await.until(
        SOON,
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith(prefix)),
        "no thread is left");
  }

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }
}

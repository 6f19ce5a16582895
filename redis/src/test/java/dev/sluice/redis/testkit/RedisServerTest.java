package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(30)
@ParameterizedClass
@MethodSource("dev.sluice.redis.testkit.RedisBinary#all")
record RedisServerTest(RedisBinary binary) {
  @Test
  void answersEveryTypeOfReply() {
    try (RedisServer server = RedisServer.on(binary).start();
        Resp resp = Resp.connect(server.port())) {
      assertEquals("PONG", resp.command("PING"));
      assertEquals("OK", resp.command("SET", "k", "grüße\r\n"));
      assertEquals("grüße\r\n", resp.command("GET", "k"));
      assertNull(resp.command("GET", "absent"));
      assertEquals(1L, resp.command("INCR", "n"));
      assertEquals(
          List.of(1L, "two", List.of(3L)), resp.command("EVAL", "return {1,'two',{3}}", "0"));
      ErrorReplyException error =
          assertThrows(
              ErrorReplyException.class, () -> resp.command("EVALSHA", "0".repeat(40), "0"));
      assertEquals("NOSCRIPT", error.code());
      assertTrue(error.text().startsWith("NOSCRIPT No matching script."), error::text);
    }
  }

  @Test
  void pipelinedRepliesComeInOrderAndErrorsInsideAListAreElements() {
    try (RedisServer server = RedisServer.on(binary).start();
        Resp resp = Resp.connect(server.port())) {
      resp.send("MULTI");
      resp.send("SET", "k", "text");
      resp.send("INCR", "k");
      resp.send("EXEC");
      assertEquals("OK", resp.receive());
      assertEquals("QUEUED", resp.receive());
      assertEquals("QUEUED", resp.receive());
      List<Object> replies = Resp.asList(resp.receive());
      assertEquals("OK", replies.get(0));
      assertEquals("ERR", ((ErrorReplyException) replies.get(1)).code());
    }
  }

  @Test
  void killedServerComesBackEmptyOnTheSamePort() {
    try (RedisServer server = RedisServer.on(binary).start()) {
      int port = server.port();
      long pid = server.pid();
      server.command("SET", "k", "v");
      server.kill9();
      assertFalse(server.isAlive());
      assertThrows(UncheckedIOException.class, () -> server.command("PING"));
      server.restart();
      assertEquals(port, server.port());
      assertNotEquals(pid, server.pid());
      assertNull(server.command("GET", "k"));
    }
  }

  @Test
  void appendOnlyFileSurvivesSigkillAndStop() {
    try (RedisServer server = RedisServer.on(binary).appendOnly("everysec").start()) {
      server.command("SET", "k", "v");
      server.kill9();
      server.restart();
      assertEquals("v", server.command("GET", "k"));
      server.stop();
      assertFalse(server.isAlive());
      server.restart();
      assertEquals("v", server.command("GET", "k"));
    }
  }

  @Test
  void suspendedServerAcceptsButAnswersOnlyWhenResumed() {
    try (RedisServer server = RedisServer.on(binary).start()) {
      server.suspend();
      assertTrue(server.isAlive());
      assertFalse(server.isRunning());
      try (Resp resp = Resp.connect(server.port())) {
        resp.send("INCR", "n");
        server.resume();
        assertEquals(1L, resp.receive());
      }
      server.suspend();
      server.stop();
      assertFalse(server.isAlive());
    }
  }

  @Test
  void configLinesReachTheServerAndDebugIsAllowed() {
    try (RedisServer server =
        RedisServer.on(binary).line("maxmemory 12mb").line("maxmemory-policy noeviction").start()) {
      assertEquals(List.of("maxmemory", "12582912"), server.command("CONFIG", "GET", "maxmemory"));
      assertEquals(List.of("save", ""), server.command("CONFIG", "GET", "save"));
      assertEquals("OK", server.command("DEBUG", "SLEEP", "0"));
    }
  }

  @Test
  void unixSocketServesTheSameData() {
    try (RedisServer server = RedisServer.on(binary).unixSocket().start();
        Resp resp = Resp.connectUnix(server.unixSocket())) {
      resp.command("SET", "k", "v");
      assertEquals("v", server.command("GET", "k"));
    }
  }

  @Test
  void passwordIsDemandedOfOthersAndKnownToTheKit() {
    try (RedisServer server = RedisServer.on(binary).password("s3cret").start();
        Resp resp = Resp.connect(server.port())) {
      assertEquals("redis://:s3cret@127.0.0.1:" + server.port(), server.uri());
      assertEquals(
          "NOAUTH", assertThrows(ErrorReplyException.class, () -> resp.command("PING")).code());
      assertEquals("OK", resp.command("AUTH", "s3cret"));
      assertEquals("PONG", server.command("PING"));
    }
  }

  @Test
  void aclUsersMayDoWhatTheirRulesSay() {
    try (RedisServer server =
            RedisServer.on(binary)
                .user("lim", "on >pw ~rl:* -@all +ping +get")
                .user("default", "off")
                .start();
        Resp resp = Resp.connect(server.port())) {
      assertEquals("OK", resp.command("AUTH", "lim", "pw"));
      assertNull(resp.command("GET", "rl:a"));
      for (String[] forbidden : new String[][] {{"GET", "other"}, {"SET", "rl:a", "1"}}) {
        assertEquals(
            "NOPERM",
            assertThrows(ErrorReplyException.class, () -> resp.command(forbidden)).code());
      }
      assertEquals("OK", server.command("ACL", "LOAD"));
      assertEquals("redis://lim:pw@127.0.0.1:" + server.port(), server.uri("lim", "pw"));
    }
  }

  @Test
  void serverThatCannotStartShowsItsLog() {
    IllegalStateException failure =
        assertThrows(
            IllegalStateException.class,
            () -> RedisServer.on(binary).line("no-such-directive yes").start());
    assertTrue(String.valueOf(failure.getMessage()).contains("no-such-directive"));
  }

  @Test
  void nothingIsLeftAfterCloseButTheLog() {
    RedisServer server = RedisServer.on(binary).unixSocket().start();
    Path directory = server.unixSocket().getParent();
    assertTrue(Files.isDirectory(directory));
    server.close();
    assertDoesNotThrow(server::close);
    assertFalse(Files.exists(directory));
    assertFalse(server.isAlive());
    assertTrue(server.logs().contains("Ready to accept connections"));
  }

  @Test
  void everyByteTravelsInLatin1() {
    try (RedisServer server = RedisServer.on(binary).start();
        Resp resp = server.connect(StandardCharsets.ISO_8859_1)) {
      StringBuilder bytes = new StringBuilder();
      for (char c = 0; c < 256; c++) {
        bytes.append(c);
      }
      resp.command("SET", bytes.toString(), bytes.toString());
      assertEquals(bytes.toString(), resp.command("GET", bytes.toString()));
      assertEquals(256L, resp.command("STRLEN", bytes.toString()));
    }
  }

  @Test
  void startIsFast() {
    long start = System.nanoTime();
    RedisServer.on(binary).start().close();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    System.out.printf("testkit: %s start and close took %d ms%n", binary, took.toMillis());
    assertTrue(took.toSeconds() < 5, took::toString);
  }
}

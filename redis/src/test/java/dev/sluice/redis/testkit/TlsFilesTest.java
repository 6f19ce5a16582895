package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(30)
class TlsFilesTest {
  private static TlsFiles files;

  @BeforeAll
  static void create() {
    files = TlsFiles.create();
  }

  @AfterAll
  static void remove() {
    files.close();
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.redis.testkit.RedisBinary#all")
  void goodCertificateIsAcceptedByNameAndByAddress(RedisBinary binary) {
    assertTrue(binary.supportsTls(), "only servers with TLS are expected here");
    try (RedisServer server = RedisServer.on(binary).tls(files.good()).password("pw").start()) {
      assertEquals("rediss://:pw@127.0.0.1:" + server.port(), server.uri());
      for (String host : new String[] {"localhost", "127.0.0.1"}) {
        try (Resp resp = Resp.connectTls(host, server.port(), files.trust())) {
          assertEquals("OK", resp.command("AUTH", "pw"));
        }
      }
      assertThrows(UncheckedIOException.class, () -> Resp.connect(server.port()).command("PING"));
    }
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.redis.testkit.RedisBinary#all")
  void badCertificatesAreRefusedEachForItsOwnReason(RedisBinary binary) {
    assertRefused(binary, files.wrongAuthority(), "unable to find valid certification path");
    assertRefused(
        binary,
        files.wrongHost(),
        "No name matching localhost found",
        "No subject alternative DNS name matching localhost found");
    assertRefused(binary, files.expired(), "NotAfter");
  }

  @Test
  void clusterRunsOnTlsAndPasswordToo() {
    try (RedisCluster cluster =
        RedisCluster.start(RedisBinary.bundled(), node -> node.tls(files.good()).password("pw"))) {
      RedisServer target = cluster.primaries().get(0);
      cluster.primaryOf("foo").command("SET", "foo", "1");
      cluster.migrateSlot(cluster.slotOf("foo"), target);
      assertEquals("1", target.command("GET", "foo"));
      assertTrue(cluster.uri().startsWith("redis-cluster://:pw@127.0.0.1:"), cluster::uri);
    }
  }

  private static void assertRefused(
      RedisBinary binary, TlsFiles.Identity identity, String... reasons) {
    try (RedisServer server = RedisServer.on(binary).tls(identity).start()) {
      assertEquals("PONG", server.command("PING"));
      UncheckedIOException failure =
          assertThrows(
              UncheckedIOException.class,
              () -> Resp.connectTls("localhost", server.port(), files.trust()));
      StringBuilder texts = new StringBuilder();
      for (Throwable t = failure; t != null; t = t.getCause()) {
        texts.append(t).append('\n');
      }
      boolean named = Arrays.stream(reasons).anyMatch(texts.toString()::contains);
      assertTrue(named, texts::toString);
    }
  }
}

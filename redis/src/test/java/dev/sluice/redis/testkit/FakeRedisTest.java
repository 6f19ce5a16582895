package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class FakeRedisTest {
  @Test
  void scriptCallsGetTheQueuedRepliesInOrderAndThenTheStandingOne() {
    String loading = "LOADING Redis is loading the dataset in memory";
    try (FakeRedis fake = FakeRedis.start().reply("-" + loading, "*2\r\n:1\r\n:9");
        Resp resp = Resp.connect(fake.port())) {
      assertEquals(loading, errorOf(resp, "EVALSHA", "abc", "0"));
      assertEquals(List.of(1L, 9L), resp.command("EVAL", "return 1", "0"));
      assertEquals(
          "ERR fake: no reply is left for this script call", errorOf(resp, "EVALSHA", "abc", "0"));
      fake.answer("EVALSHA", "-OOM command not allowed");
      assertEquals("OOM command not allowed", errorOf(resp, "EVALSHA", "abc", "0"));
      assertEquals("OOM command not allowed", errorOf(resp, "EVALSHA", "abc", "0"));
    }
  }

  @Test
  void handshakeIsAnsweredAsRedisDoesAndRecorded() {
    try (FakeRedis fake = FakeRedis.start();
        Resp resp = Resp.connect(fake.port())) {
      List<Object> hello = Resp.asList(resp.command("hello", "2"));
      assertEquals(List.of("server", "redis", "version", "7.0.15"), hello.subList(0, 4));
      assertEquals("PONG", resp.command("PING"));
      assertEquals("OK", resp.command("CLIENT", "SETINFO", "lib-name", "x"));
      assertEquals(
          "e0e1f9fabfc9d4800c877a703b823ac0578ff8db", resp.command("SCRIPT", "LOAD", "return 1"));
      assertEquals("ERR unknown command 'NOPE'", errorOf(resp, "NOPE"));
      assertEquals(List.of("hello", "2"), fake.commands().get(0));
      assertEquals(5, fake.commands().size());
    }
  }

  @Test
  void anyCommandCanBeGivenAnotherAnswer() {
    try (FakeRedis fake =
            FakeRedis.start()
                .answer("ping", "-MASTERDOWN Link with MASTER is down")
                .answer("CLUSTER INFO", "+cluster_state:fail");
        Resp resp = Resp.connect(fake.port())) {
      assertEquals("MASTERDOWN Link with MASTER is down", errorOf(resp, "PING"));
      assertEquals("cluster_state:fail", resp.command("CLUSTER", "INFO"));
      assertEquals("ERR unknown command 'CLUSTER'", errorOf(resp, "CLUSTER", "SLOTS"));
    }
  }

  private static String errorOf(Resp resp, String... words) {
    return assertThrows(ErrorReplyException.class, () -> resp.command(words)).text();
  }
}

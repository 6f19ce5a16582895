package dev.sluice.server.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import dev.sluice.server.AdminToken;
import dev.sluice.server.Programs;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;

/** Clients that nobody here wrote. */
class RespClientsTest {
  private static final ProtocolKeyword THROTTLE = keyword("CL.THROTTLE");

  private final Sluice sluice = Sluice.inMemory();
  private RespServer server;

  @BeforeEach
  void start() {
    sluice.limiter("demo", Limit.parse("10/h burst 20"));
    server =
        new RespServer(sluice, RespOptions.on("127.0.0.1", 0).password(new AdminToken("s3cret")));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static ProtocolKeyword keyword(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    return new ProtocolKeyword() {
      @Override
      public byte[] getBytes() {
        return bytes;
      }

      @Override
      public String toString() {
        return name;
      }
    };
  }

  @ParameterizedTest
  @EnumSource(ProtocolVersion.class)
  void lettucePipelines(ProtocolVersion protocol) throws Exception {
    RedisClient client = RedisClient.create("redis://:s3cret@127.0.0.1:" + server.port());
    try {
      client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
      try (StatefulRedisConnection<String, String> connection = client.connect()) {
        assertThat(connection.sync().ping()).isEqualTo("PONG");
        List<RedisFuture<List<Object>>> futures = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          futures.add(
              connection
                  .async()
                  .dispatch(
                      THROTTLE,
                      new ArrayOutput<>(StringCodec.UTF8),
                      new CommandArgs<>(StringCodec.UTF8).addKey("k").add(49).add(1).add(3_600)));
        }
        for (int i = 0; i < 100; i++) {
          List<Object> reply = futures.get(i).get(20, TimeUnit.SECONDS);
          assertThat(reply.subList(0, 3))
              .isEqualTo(List.of(i < 50 ? 0L : 1L, 50L, (long) Math.max(0, 49 - i)));
        }
        assertThat(connection.sync().del("k")).isEqualTo(1);
      }
    } finally {
      client.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }

  @Test
  void jedisAsks() {
    try (Jedis jedis = new Jedis("127.0.0.1", server.port())) {
      assertThat(jedis.auth("s3cret")).isEqualTo("OK");
      assertThat(jedis.ping()).isEqualTo("PONG");
      assertThat(jedis.select(0)).isEqualTo("OK");
      assertThat(jedis.clientSetname("test")).isEqualTo("OK");
      assertThat(jedis.clientGetname()).isEqualTo("test");
      Object reply =
          jedis.sendCommand(
              () -> "SLUICE.CHECK".getBytes(StandardCharsets.US_ASCII), "demo", "alice");
      assertThat(reply).isEqualTo(List.of(1L, 20L, 19L, 0L, 360_000L));
      assertThatThrownBy(() -> jedis.get("k"))
          .isInstanceOf(JedisDataException.class)
          .hasMessage("ERR unknown command 'GET', with args beginning with: 'k' ");
    }
  }

  @Test
  void redisCliAsks() {
    Optional<String> cli = Programs.find("redis-cli");
    if (cli.isEmpty()) {
      return;
    }
    String port = Integer.toString(server.port());
    assertThat(Programs.run(cli.get(), "-p", port, "CL.THROTTLE", "k", "15", "30", "60").lines())
        .containsExactly("0", "16", "15", "-1", "2");
    assertThat(Programs.run(cli.get(), "-p", port, "-3", "SLUICE.PEEK", "demo", "bob").lines())
        .containsExactly("1", "20", "20", "0", "0");
    assertThat(Programs.run(cli.get(), "-p", port, "COMMAND", "COUNT").strip()).isEqualTo("15");
    assertThat(Programs.run(cli.get(), "-p", port, "INFO")).contains("redis_mode:standalone");
    assertThat(Programs.run(cli.get(), "-p", port, "DEL", "k").strip()).isEqualTo("1");
  }

  @Test
  void redisBenchmarkRuns() {
    Optional<String> benchmark = Programs.find("redis-benchmark");
    if (benchmark.isEmpty()) {
      return;
    }
    String port = Integer.toString(server.port());
    String[] command = {
      benchmark.get(),
      "-p",
      port,
      "-c",
      "10",
      "-n",
      "20000",
      "-P",
      "16",
      "-r",
      "100",
      "-q",
      "CL.THROTTLE",
      "key:__rand_int__",
      "15",
      "30",
      "60"
    };
    assertThat(Programs.run(command)).contains("requests per second").doesNotContain("Error");
  }
}

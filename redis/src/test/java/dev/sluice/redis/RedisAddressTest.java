package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.RedisAddress.Kind;
import dev.sluice.redis.RedisAddress.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisAddressTest {
  @Test
  void serverWithEverything() {
    RedisAddress address = RedisAddress.parse("redis://us%40er:p%2Fw%20d@example.org:7000/3");
    assertThat(address.kind()).isEqualTo(Kind.SERVER);
    assertThat(address.tls()).isFalse();
    assertThat(address.nodes()).containsExactly(new Node("example.org", 7000));
    assertThat(address.user()).isEqualTo("us@er");
    assertThat(address.password()).isEqualTo("p/w d");
    assertThat(address.database()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://localhost                    | redis://localhost:6379",
        "REDIS://localhost                    | redis://localhost:6379",
        "redis://localhost/                   | redis://localhost:6379",
        "redis://[::1]:7000                   | redis://[::1]:7000",
        "redis://[::1]                        | redis://[::1]:6379",
        "redis://[fe80::1%eth0]:1             | redis://[fe80::1%eth0]:1",
        "redis://my_redis-1.example.           | redis://my_redis-1.example.:6379",
        "rediss://h:1                         | rediss://h:1",
        "redis://:secret@h:1/2                | redis://:***@h:1/2",
        "redis://user:secret@h:1              | redis://user:***@h:1",
        "redis://user:se@cret@h:1             | redis://user:***@h:1",
        "redis://user:se/cret@h:1             | redis://user:***@h:1",
        "redis://h:1?db=4                     | redis://h:1/4",
        "redis-socket:///run/redis.sock       | redis-socket:///run/redis.sock",
        "unix:///run/redis.sock?db=2          | redis-socket:///run/redis.sock?db=2",
        "unix://u:secret@/run/redis.sock      | redis-socket://u:***@/run/redis.sock",
        "redis-sentinel://a,b:1,c/main        | redis-sentinel://a:26379,b:1,c:26379/main",
        "rediss-sentinel://:secret@a:1/m      | rediss-sentinel://:***@a:1/m",
        "redis-cluster://a:1,b,c:3            | redis-cluster://a:1,b:6379,c:3",
        "redis-cluster://:secret@a:1          | redis-cluster://:***@a:1",
      })
  void readsBackAsWritten(String text, String shown) {
    assertThat(RedisAddress.parse(text)).hasToString(shown);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "redis://                  | store address 'redis://…': host must not be empty, got ''",
        "redis://:1                | store address 'redis://…': host must not be empty, got ''",
        "redis://h:x               | store address 'redis://…': port must be from 1 to 65535, got '…'",
        "redis://h:0               | store address 'redis://…': port must be from 1 to 65535, got '…'",
        "redis://h:65536           | store address 'redis://…': port must be from 1 to 65535, got '…'",
        "redis://h:+1              | store address 'redis://…': port must be from 1 to 65535, got '…'",
        "redis://a b               | store address 'redis://…': host must be a name or an address, got '…'",
        "redis://[::1              | store address 'redis://…': host must be a name or an address, got '…'",
        "redis://h:1/x             | store address 'redis://…': database must be from 0 to 1000000, got '…'",
        "redis://h:1/1000001       | store address 'redis://…': database must be from 0 to 1000000, got '…'",
        "redis://h:1?x=1           | store address 'redis://…': unknown parameter, got 'x'",
        "redis://h:1?x             | store address 'redis://…': unknown parameter, got '…'",
        "redis://a,b               | store address 'redis://…': must name one host; several need redis-sentinel or redis-cluster, got '…'",
        "redis://user@h            | store address 'redis://…': a user needs a password, as in user:password@host, got '…@'",
        "redis://:%zz@h            | store address 'redis://…': a % must be followed by two hexadecimal digits",
        "redis-sentinel://a:1      | store address 'redis-sentinel://…': needs the name of the primary after the hosts, as in /main, got ''",
        "redis-sentinel://:p@a/m@b | store address 'redis-sentinel://…': name of the primary must have no @; / and @ of a password are written %2F and %40, got '…'",
        "redis-cluster://a:1/2     | store address 'redis-cluster://…': a cluster has only database 0, got '…'",
        "redis-cluster://a:1,      | store address 'redis-cluster://…': host must not be empty, got ''",
        "unix://run/redis.sock     | store address 'unix://…': path of the socket must be absolute, as in /run/redis.sock, got '…'",
        "http://h                  | store address: must begin with redis://, rediss://, redis-socket://, redis-sentinel:// or redis-cluster://, got 'http'",
      })
  void errorsNameTheRuleAndTheValue(String text, String message) {
    assertThatThrownBy(() -> RedisAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void nameOfThePrimaryMayBePercentEncoded() {
    assertThat(RedisAddress.parse("redis-sentinel://a:1/m%40in").primaryName()).isEqualTo("m@in");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://u:canary@h:x",
        "redis://u:canary@h:1/x",
        "redis://u:canary@",
        "redis://u:canary%zz@h",
        "redis-sentinel://u:canary@h:1",
        "redis-cluster://u:canary@h:1/7",
        "unix://u:canary@x",
        "redis://u:canary@a,b",
        "redis://canary@h",
        "redis://:canary",
        "redis://u:canary",
        "redis://h:1?password=canary",
        "redis://u:p@w/canary@h",
        "redis-cluster://u:p@w/canary@h",
        "redis-sentinel://u:p@w/canary@h:1/main",
        "redis://u:99887766",
        "redis-sentinel://u:99887766/main",
        "redis://u:p@12/99887766",
        "redis-cluster://u:p@w/99887766",
        "redis-cluster://u:p@w/canary",
        "redis://u:123,canary",
        "redis-sentinel://u:123,canary",
        "redis://canary word",
        "redis://[canary",
        "redis://u%3Acanary%40h%3A6379",
        "redis://h?canary",
        "redis://u:p@w/x?canary=1@h",
        "unix://u:canary",
        "unix://u:p@w/canary",
        "canary@h:6379"
      })
  void noErrorShowsThePassword(String text) {
    assertThatThrownBy(() -> RedisAddress.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .satisfies(
            error -> {
              for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                assertThat(String.valueOf(cause)).doesNotContain("canary", "99887766");
              }
            });
  }
}

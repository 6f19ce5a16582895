package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import dev.sluice.redis.testkit.TlsFiles;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A server is spoken to only if it proves to be the one that was asked for. */
class TlsTest {
  private static TlsFiles files;

  @BeforeAll
  static void create() {
    files = TlsFiles.create();
  }

  @AfterAll
  static void remove() {
    files.close();
  }

  private static void isRefused(
      Function<TlsFiles, TlsFiles.Identity> identity, RedisOptions options) {
    assertThatThrownBy(() -> decides(identity, options))
        .isInstanceOf(StoreConfigurationException.class)
        .hasMessageMatching(
            "redis: rediss://127\\.0\\.0\\.1:\\d+: the server's certificate is not trusted: .+");
  }

  private static boolean decides(
      Function<TlsFiles, TlsFiles.Identity> identity, RedisOptions options) {
    RedisBinary binary =
        RedisBinary.all().stream().filter(RedisBinary::supportsTls).findFirst().orElseThrow();
    try (RedisServer server = RedisServer.on(binary).tls(identity.apply(files)).start();
        Sluice sluice =
            Sluice.of(
                RedisStore.connect(
                    RedisAddress.parse(server.uri()), options.withDeadline(Stores.PATIENCE)))) {
      RateLimiter limiter = sluice.limiter("api", Limit.tokenBucket(1, Duration.ofHours(1)));
      return !limiter.tryAcquire("k").degraded();
    }
  }

  private static RedisOptions trusting() {
    return RedisOptions.defaults().withAuthority(files.authority());
  }

  @Test
  void goodCertificate() {
    assertThat(decides(TlsFiles::good, trusting())).isTrue();
  }

  @Test
  void certificateOfAnotherAuthorityIsRefused() {
    isRefused(TlsFiles::wrongAuthority, trusting());
  }

  @Test
  void certificateOfAnotherHostIsRefused() {
    isRefused(TlsFiles::wrongHost, trusting());
  }

  @Test
  void certificateOfAnotherHostIsTakenWhereTheHostDoesNotMatter() {
    RedisOptions authorityOnly = trusting().withVerify(RedisOptions.Verify.AUTHORITY);
    assertThat(decides(TlsFiles::wrongHost, authorityOnly)).isTrue();
    isRefused(TlsFiles::wrongAuthority, authorityOnly);
  }

  @Test
  void expiredCertificateIsRefused() {
    isRefused(TlsFiles::expired, trusting());
  }

  @Test
  void privateAuthorityIsRefusedUnlessTrusted() {
    isRefused(TlsFiles::good, RedisOptions.defaults());
  }
}

package dev.sluice.redis;

import java.time.Duration;

/** Stores for tests. */
final class Stores {
  // Long against any pause of a busy machine, for tests that are not about time.
  static final Duration PATIENCE = Duration.ofSeconds(20);

  private Stores() {}

  /** A store whose deadline a slow machine does not meet by accident. */
  static RedisStore patient(String uri) {
    return withDeadline(uri, PATIENCE);
  }

  static RedisStore withDeadline(String uri, Duration deadline) {
    return RedisStore.connect(RedisAddress.parse(uri), patience().withDeadline(deadline), null);
  }

  /** Time enough to connect and to decide. */
  static RedisOptions patience() {
    return RedisOptions.defaults().withConnectTimeout(PATIENCE).withDeadline(PATIENCE);
  }
}

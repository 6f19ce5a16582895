package dev.sluice.redis;

import dev.sluice.redis.testkit.RedisBinary;
import org.junit.jupiter.api.BeforeAll;

/** The same contract on the oldest server that is supported. */
class RedisStoreContractOnOldestTest extends RedisStoreContractTest {
  @BeforeAll
  static void start() {
    start(RedisBinary.oldest());
  }
}

package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AwaitTest {
  @Test
  void returnsWhenTheConditionHolds() {
    AtomicInteger asked = new AtomicInteger();
    Await.until(Duration.ofSeconds(5), () -> asked.incrementAndGet() == 3, "it was asked thrice");
    assertEquals(3, asked.get());
  }

  @Test
  void saysWhatItWaitedFor() {
    AssertionError failure =
        assertThrows(
            AssertionError.class,
            () -> Await.until(Duration.ofMillis(20), () -> false, "pigs fly"));
    assertEquals("gave up after 20 ms waiting until pigs fly", failure.getMessage());
  }
}

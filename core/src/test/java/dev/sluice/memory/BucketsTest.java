package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.algorithm.Cell;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BucketsTest {
  private static final long NOW = 10_000_000;
  private static final Meter METER = Meter.of(Limit.tokenBucket(1, Duration.ofSeconds(1)), 0);
  private static final Cell FORGOTTEN = new Cell(NOW - 1_000_000, 0);

  private final Stripe stripe = new Stripe(0);
  private final Slots[] published = new Slots[1];
  private final Buckets buckets = new Buckets(METER, stripe, published, 0);

  static LongStream seeds() {
    return LongStream.range(0, 20);
  }

  /** Few hashes, so that keys push each other from their places. */
  private static int hash(String key) {
    return key.hashCode() % 7;
  }

  private static Cell used(long tokens) {
    return new Cell(NOW, tokens);
  }

  private long charged(String key) {
    return published[0].fullAt(published[0].find(key, hash(key)));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void holdsWhatAMapWouldHold(long seed) {
    Random random = new Random(seed);
    Map<String, Cell> map = new HashMap<>();
    for (int step = 0; step < 3_000; step++) {
      String key = "k" + random.nextInt(1 + random.nextInt(300));
      assertThat(buckets.knows(key, hash(key))).as(key).isEqualTo(map.containsKey(key));
      if (random.nextInt(3) == 0) {
        buckets.forget(key, hash(key));
        map.remove(key);
      } else {
        Cell cell = random.nextBoolean() ? FORGOTTEN : used(1 + random.nextInt(1_000));
        buckets.save(key, hash(key), cell);
        map.put(key, cell);
      }
      if (random.nextInt(5) == 0) {
        stripe.leave();
      }
      if (random.nextInt(100) == 0) {
        stripe.leave();
        int before = map.size();
        map.values().removeIf(FORGOTTEN::equals);
        assertThat(buckets.sweep(NOW, Integer.MAX_VALUE)).isEqualTo(before - map.size());
      }
      assertThat(buckets.size()).isEqualTo(map.size());
    }
    stripe.leave();
    map.forEach((key, cell) -> assertThat(charged(key)).as(key).isEqualTo(METER.fullAt(cell)));
  }

  @Test
  void debtThatOneNumberCannotTellIsKeptUntilThereIsAnother() {
    Cell owing = used(1L << 40);
    buckets.save("k", 1, owing);
    assertThat(buckets.load("k", 1, NOW)).isEqualTo(owing);
    buckets.forget("k", 1);
    buckets.add("k", 1, NOW);
    assertThat(buckets.load("k", 1, NOW)).isEqualTo(used(0));
    buckets.save("k", 1, owing);
    buckets.save("k", 1, used(3));
    assertThat(buckets.load("k", 1, NOW)).isEqualTo(used(3));
  }

  @Test
  @SuppressWarnings("StringConstructor") // another string with the same text
  void veryStringsAreFoundAmongThoseTheyCollideWith() {
    String[] keys = {"a", "b", "c"};
    for (String key : keys) {
      buckets.save(key, 1, used(1));
    }
    stripe.leave();
    Slots slots = published[0];
    for (String key : keys) {
      assertThat(slots.findSame(key, 1)).isNotEqualTo(Slots.NONE).isEqualTo(slots.find(key, 1));
      assertThat(slots.findSame(new String(key), 1)).isEqualTo(Slots.NONE);
      assertThat(slots.find(new String(key), 1)).isEqualTo(slots.find(key, 1));
    }
    assertThat(slots.find("d", 1)).isEqualTo(Slots.NONE);
  }

  @Test
  void bucketCannotBeChargedWhileSomebodyWorksOnIt() {
    buckets.save("k", 1, used(1));
    stripe.leave();
    Slots slots = published[0];
    int slot = slots.find("k", 1);
    long before = slots.fullAt(slot);
    buckets.load("k", 1, NOW);
    assertThat(slots.charge(slot, before, before + 1)).isFalse();
    stripe.leave();
    assertThat(slots.charge(slot, before, before + 1)).isTrue();
  }

  @Test
  void slotIsNeverGivenToAnotherKey() {
    buckets.save("k", 1, used(1));
    stripe.leave();
    Slots slots = published[0];
    int slot = slots.find("k", 1);
    long before = slots.fullAt(slot);
    buckets.forget("k", 1);
    for (int i = 0; i < 100; i++) {
      buckets.save("other" + i, 1, used(1));
    }
    stripe.leave();
    assertThat(slots.charge(slot, before, before + 1)).isFalse();
    assertThat(buckets.knows("k", 1)).isFalse();
  }

  @Test
  void bucketWorkedOnWhileTheOthersMoveIsNotLost() {
    buckets.save("k", 1, used(7));
    stripe.leave();
    assertThat(buckets.load("k", 1, NOW)).isEqualTo(used(7));
    for (int i = 0; i < 1_000; i++) {
      buckets.save("other" + i, i, used(1));
    }
    buckets.save("k", 1, used(8));
    stripe.leave();
    assertThat(buckets.load("k", 1, NOW)).isEqualTo(used(8));
    assertThat(buckets.size()).isEqualTo(1_001);
  }

  @Test
  void newKeyIsAcceptedOnlyNearItsPlace() {
    for (int i = 0; i < Table.LONGEST_PROBE; i++) {
      assertThat(buckets.accepts(42)).isTrue();
      buckets.save("k" + i, 42, used(1));
    }
    assertThat(buckets.accepts(42)).isFalse();
    assertThat(buckets.accepts(41)).isTrue();
  }

  @Test
  void keyThatNewKeysShareIsNotCounted() {
    buckets.save(InMemoryStore.OVERFLOW, 1, used(1));
    assertThat(buckets.size()).isZero();
    buckets.save("k", 1, used(1));
    assertThat(buckets.size()).isEqualTo(1);
    buckets.forget(InMemoryStore.OVERFLOW, 1);
    assertThat(buckets.size()).isEqualTo(1);
  }
}

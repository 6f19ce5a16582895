package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.algorithm.Cell;
import dev.sluice.testkit.SampleLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TableTest {
  private static final Limit LIMIT = Limit.tokenBucket(1, Duration.ofSeconds(1));
  private static final long FORGOTTEN = 2_000_000;
  private static final Cell EMPTY = new Cell(0, 0);

  private final Table table = new Table(LIMIT);

  static LongStream seeds() {
    return LongStream.range(0, 20);
  }

  /** Few hashes, so that keys push each other from their places and back. */
  private static int hash(String key) {
    return key.hashCode() % 7;
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void holdsWhatAMapWouldHold(long seed) {
    Random random = new Random(seed);
    Map<String, Long> map = new HashMap<>();
    for (int step = 0; step < 3_000; step++) {
      String key = "k" + random.nextInt(1 + random.nextInt(300));
      assertThat(table.knows(key, hash(key))).as(key).isEqualTo(map.containsKey(key));
      if (random.nextInt(3) == 0) {
        table.forget(key, hash(key));
        map.remove(key);
      } else {
        long t = FORGOTTEN * random.nextInt(2) + random.nextInt(1_000);
        table.save(key, hash(key), new Cell(t, 0));
        map.put(key, t);
      }
      if (random.nextInt(100) == 0) {
        int before = map.size();
        map.values().removeIf(t -> t < FORGOTTEN);
        assertThat(table.sweep(FORGOTTEN, Integer.MAX_VALUE)).isEqualTo(before - map.size());
      }
      assertThat(table.size()).isEqualTo(map.size());
    }
    map.forEach((key, t) -> assertThat(table.load(key, hash(key), 0)).isEqualTo(new Cell(t, 0)));
  }

  @Test
  void keyIsFoundHoweverFarFromItsPlace() {
    for (int i = 0; i < 5_000; i++) {
      table.save("k" + i, 42, new Cell(i, 1));
    }
    for (int i = 0; i < 5_000; i++) {
      assertThat(table.load("k" + i, 42, 0)).isEqualTo(new Cell(i, 1));
    }
    assertThat(table.knows("somebody else", 42)).isFalse();
  }

  @Test
  void newKeyIsAcceptedOnlyNearItsPlace() {
    for (int i = 0; i < Table.LONGEST_PROBE; i++) {
      assertThat(table.accepts(42)).isTrue();
      table.save("k" + i, 42, EMPTY);
    }
    assertThat(table.accepts(42)).isFalse();
    assertThat(table.accepts(41)).isTrue();
  }

  @Test
  void keyThatNewKeysShareIsNotCounted() {
    table.save(InMemoryStore.OVERFLOW, 1, EMPTY);
    assertThat(table.size()).isZero();
    table.save("k", 1, EMPTY);
    assertThat(table.size()).isEqualTo(1);
    table.forget(InMemoryStore.OVERFLOW, 1);
    assertThat(table.size()).isEqualTo(1);
  }

  @Test
  void lookAtAFewSlotsGoesOnWhereTheLastOneEnded() {
    for (int i = 0; i < 64; i++) {
      table.save("k" + i, i, EMPTY);
    }
    int removed = 0;
    for (int looks = 1; removed < 64; looks++) {
      removed += table.sweep(FORGOTTEN, 1);
      assertThat(removed).isLessThanOrEqualTo(looks);
    }
    assertThat(removed).isEqualTo(64);
  }

  @Test
  void stateOfALogIsMovedWithItsKey() {
    Table logs = new Table(SampleLimits.slidingLogs().get(0));
    for (int i = 0; i < 100; i++) {
      logs.save("k" + i, i % 3, "state " + i);
    }
    for (int i = 0; i < 100; i += 2) {
      logs.forget("k" + i, i % 3);
    }
    for (int i = 1; i < 100; i += 2) {
      assertThat(logs.load("k" + i, i % 3, 0)).isEqualTo("state " + i);
    }
  }
}

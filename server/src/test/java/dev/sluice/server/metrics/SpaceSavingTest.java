package dev.sluice.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.metrics.SpaceSaving.Counter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SpaceSavingTest {
  private static <T> List<Counter<T>> all(SpaceSaving<T> sketch) {
    List<Counter<T>> all = new ArrayList<>();
    sketch.forEach(all::add);
    return all;
  }

  /** An item that falls into the same group as all others. */
  private record Alike(String text) {
    @Override
    public int hashCode() {
      return 1;
    }
  }

  @Test
  void fewItemsAreCountedExactly() {
    SpaceSaving<String> sketch = new SpaceSaving<>();
    for (int i = 0; i < 100; i++) {
      for (int times = 0; times <= i; times++) {
        sketch.add("item " + i, "note " + times);
      }
    }
    assertThat(all(sketch))
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, 100)
                .mapToObj(i -> new Counter<>("item " + i, i + 1, 0, "note " + i))
                .toList());
  }

  @Test
  void aNewItemTakesThePlaceOfTheSmallestAndItsCount() {
    SpaceSaving<Alike> sketch = new SpaceSaving<>();
    for (int i = 1; i <= 16; i++) {
      for (int times = 0; times < (i == 7 ? 2 : i + 10); times++) {
        sketch.add(new Alike("item " + i), "old");
      }
    }
    sketch.add(new Alike("new"), "new");
    assertThat(all(sketch))
        .hasSize(16)
        .contains(new Counter<>(new Alike("new"), 3, 2, "new"))
        .noneMatch(counter -> counter.item().text().equals("item 7"));
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 20);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void countsAreNeverTooLowNorTooHighByMoreThanWasInherited(long seed) {
    Random random = new Random(seed);
    SpaceSaving<Alike> sketch = new SpaceSaving<>();
    Map<Alike, Long> truth = new HashMap<>();
    for (int i = 0; i < 5_000; i++) {
      double where = random.nextDouble();
      Alike item = new Alike("item " + (int) (where * where * where * 200));
      sketch.add(item, "");
      truth.merge(item, 1L, Long::sum);
    }
    List<Counter<Alike>> all = all(sketch);
    assertThat(all.stream().mapToLong(Counter::count).sum()).isEqualTo(5_000);
    for (Counter<Alike> counter : all) {
      long often = truth.get(counter.item());
      assertThat(counter.count()).isGreaterThanOrEqualTo(often);
      assertThat(counter.count() - counter.inherited()).isLessThanOrEqualTo(often);
    }
    List<Alike> followed = all.stream().map(Counter::item).toList();
    truth.forEach(
        (item, often) -> {
          if (often > 5_000 / 16) {
            assertThat(followed).contains(item);
          }
        });
  }
}

package dev.sluice.testkit;

import dev.sluice.Limit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Random requests that keep a limit busy: bursts, pauses around its rate, and long silences. */
public final class Histories {
  private Histories() {}

  /**
   * One request.
   *
   * @param pauseMicros how far the clock moves before it; negative steps back
   */
  public record Step(long pauseMicros, long cost) {}

  /** A history of {@code steps} requests, always the same for the same seed. */
  public static List<Step> forwards(long seed, Limit limit, int steps) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Step> history = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      history.add(new Step(pause(random, limit), cost(random, limit)));
    }
    return history;
  }

  /** As {@link #forwards}, with a clock that now and then steps back, mostly less than a period. */
  public static List<Step> withStepsBack(long seed, Limit limit, int steps) {
    SplittableRandom random = new SplittableRandom(~seed);
    return forwards(seed, limit, steps).stream()
        .map(
            step ->
                switch (random.nextInt(12)) {
                  case 0 -> new Step(-random.nextLong(limit.perMicros() + 1), step.cost());
                  case 1 -> new Step(-random.nextLong(4 * limit.perMicros()), step.cost());
                  default -> step;
                })
        .toList();
  }

  private static long pause(SplittableRandom random, Limit limit) {
    long per = limit.perMicros();
    long spacing = Math.max(1, per / limit.permits());
    return switch (random.nextInt(10)) {
      case 0, 1, 2 -> 0;
      case 3, 4 -> random.nextLong(2 * spacing + 1);
      case 5 -> spacing;
      case 6, 7 -> random.nextLong(per / 2 + 1);
      case 8 -> random.nextLong(2 * per + 1);
      default -> random.nextBoolean() ? per : random.nextLong(5 * per + 1);
    };
  }

  private static long cost(SplittableRandom random, Limit limit) {
    long most = limit.capacity();
    return switch (random.nextInt(8)) {
      case 0 -> random.nextLong(1, most + 1);
      case 1 -> most;
      case 2, 3 -> Math.min(most, random.nextLong(1, 4));
      default -> 1;
    };
  }
}

package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Store;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Runs a table of steps against one key. Times are milliseconds, with decimals down to a
 * microsecond; a negative pause steps the clock back.
 *
 * <pre>
 *     pause cost | allowed remaining retry reset   # comment
 *         0    4 | yes  1    0   800
 *         0    2 | no   1  200   800
 * </pre>
 *
 * <p>A word before the cost asks for something else: {@code peek}, {@code force}, {@code refund},
 * {@code reset} (without a cost) or {@code book}, which takes a longest wait after the cost. {@code
 * as x} after the cost keeps the lease under a name, {@code release x} returns it. A fifth figure
 * on the right is the wait. {@code forced} and {@code never} may stand for the answer.
 */
public final class Scenario {
  private static final String KEY = "k";

  private final FakeClock clock;
  private final Sluice sluice;
  private final RateLimiter limiter;
  private final Map<String, String> leases = new HashMap<>();

  /** A key never seen, under these limits, in a store that takes the time from {@code clock}. */
  public Scenario(FakeClock clock, Store store, Limit... limits) {
    this.clock = clock;
    this.sluice = Sluice.of(store);
    this.limiter = sluice.limiter("scenario", limits);
  }

  /** Runs a table on a fresh store, on a clock that starts at an even second. */
  public static void run(Function<FakeClock, Store> openStore, Limit limit, String table) {
    FakeClock clock = new FakeClock();
    try (Store store = openStore.apply(clock)) {
      new Scenario(clock, store, limit).run(table);
    }
  }

  /** Runs the steps of a table, each compared with what the table says. */
  public Scenario run(String table) {
    for (String line : table.lines().toList()) {
      String step = line.replaceFirst("#.*", "").strip();
      if (!step.isEmpty()) {
        int bar = step.indexOf('|');
        String asked = step.substring(0, bar).strip();
        String expected = String.join(" ", step.substring(bar + 1).strip().split("\\s+"));
        int figures = expected.split(" ").length;
        assertThat(answer(asked.split("\\s+"), figures)).as(line.strip()).isEqualTo(expected);
      }
    }
    return this;
  }

  private String answer(String[] words, int figures) {
    clock.advanceMicros(micros(words[0]));
    if (words[1].equals("release")) {
      return sluice.release(leases.get(words[2])) ? "yes" : "no";
    }
    boolean verb = !Character.isDigit(words[1].charAt(0));
    List<String> rest = new ArrayList<>(List.of(words).subList(verb ? 2 : 1, words.length));
    Decision decision = decide(verb ? words[1] : "try", rest);
    List<String> said = new ArrayList<>();
    said.add(decision.forced() ? "forced" : decision.allowed() ? "yes" : "no");
    said.add(String.valueOf(decision.remaining()));
    said.add(decision.neverPasses() ? "never" : millis(decision.retryAfterMicros()));
    said.add(millis(decision.resetAfterMicros()));
    said.add(millis(decision.waitMicros()));
    return String.join(" ", said.subList(0, figures));
  }

  private Decision decide(String verb, List<String> rest) {
    long cost = rest.isEmpty() ? 1 : Long.parseLong(rest.get(0));
    Decision decision =
        switch (verb) {
          case "try" -> limiter.tryAcquire(KEY, cost);
          case "peek" -> limiter.peek(KEY, cost);
          case "force" -> limiter.force(KEY, cost);
          case "refund" -> limiter.refund(KEY, cost);
          case "reset" -> limiter.reset(KEY);
          // Reserving books as acquire does, and leaves the waiting to the caller.
          case "book" -> limiter.reserve(KEY, cost, wait(rest.get(1)), YEAR).decision();
          default -> throw new IllegalArgumentException("unknown verb '%s'".formatted(verb));
        };
    int as = rest.indexOf("as");
    if (as >= 0) {
      leases.put(rest.get(as + 1), decision.lease().orElseThrow());
    }
    return decision;
  }

  private static final Duration YEAR = Duration.ofDays(365);

  private static Duration wait(String text) {
    return Duration.of(micros(text), ChronoUnit.MICROS);
  }

  private static long micros(String millis) {
    return new BigDecimal(millis).movePointRight(3).longValueExact();
  }

  private static String millis(long micros) {
    return BigDecimal.valueOf(micros, 3).stripTrailingZeros().toPlainString();
  }
}

package dev.sluice.testkit;

import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.Store;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** What the parts of {@link StoreContract} need of a store: a new one on a given clock. */
public interface StoreUnderTest {
  /** Opens a store without any state that reads the time from {@code clock} only. */
  Store openStore(FakeClock clock);

  /** Whether its clock may go back. */
  default boolean clockStepsBack() {
    return true;
  }

  /** Runs a test with a new store and a clock that stands. */
  default void withSluice(BiConsumer<Sluice, FakeClock> test) {
    FakeClock clock = new FakeClock();
    try (Sluice sluice = Sluice.of(openStore(clock))) {
      test.accept(sluice, clock);
    }
  }

  /** Runs a test with a limiter of a new store. */
  default void withLimiter(Limit limit, BiConsumer<RateLimiter, FakeClock> test) {
    withSluice((sluice, clock) -> test.accept(sluice.limiter("p", limit), clock));
  }

  /** Runs a table of steps; see {@link Scenario}. */
  default void walk(Limit limit, String table) {
    Scenario.run(this::openStore, limit, table);
  }

  /** Runs a test on the scenario of several limits. */
  default void walk(Consumer<Scenario> test, Limit... limits) {
    FakeClock clock = new FakeClock();
    try (Store store = openStore(clock)) {
      test.accept(new Scenario(clock, store, limits));
    }
  }
}

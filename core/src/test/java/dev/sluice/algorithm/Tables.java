package dev.sluice.algorithm;

import dev.sluice.Limit;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.Scenario;
import java.util.function.Function;

/** Step tables on the memory store; see {@link Scenario} for how to read one. */
final class Tables {
  private static final Function<FakeClock, Store> MEMORY = clock -> new InMemoryStore(clock, 1_000);

  private Tables() {}

  static void run(Limit limit, String table) {
    Scenario.run(MEMORY, limit, table);
  }

  static void run(String table, Limit... limits) {
    FakeClock clock = new FakeClock();
    new Scenario(clock, MEMORY.apply(clock), limits).run(table);
  }
}

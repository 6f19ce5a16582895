package dev.sluice.algorithm;

import dev.sluice.Limit;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.Scenario;

/** Step tables on the memory store; see {@link Scenario} for how to read one. */
final class Tables {
  private Tables() {}

  private static Store store(FakeClock clock) {
    return new InMemoryStore(clock, 1_000);
  }

  static void run(Limit limit, String table) {
    Scenario.run(Tables::store, limit, table);
  }

  static void run(String table, Limit... limits) {
    FakeClock clock = new FakeClock();
    new Scenario(clock, store(clock), limits).run(table);
  }
}

package dev.sluice.memory;

import dev.sluice.MicroClock;
import dev.sluice.Store;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.StoreContract;

/** The same answers where the clock is known never to go back, and most buckets need no lock. */
class SteadyInMemoryStoreContractTest extends StoreContract {
  private record Steady(MicroClock clock) implements MicroClock {
    @Override
    public long nowMicros() {
      return clock.nowMicros();
    }

    @Override
    public boolean isSteady() {
      return true;
    }
  }

  @Override
  public Store openStore(FakeClock clock) {
    return InMemoryStore.keepingAll(new Steady(clock));
  }

  @Override
  public boolean clockStepsBack() {
    return false;
  }
}

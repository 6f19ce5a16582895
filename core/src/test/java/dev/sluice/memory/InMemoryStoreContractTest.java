package dev.sluice.memory;

import dev.sluice.Store;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.StoreContract;

class InMemoryStoreContractTest extends StoreContract {
  @Override
  public Store openStore(FakeClock clock) {
    return new InMemoryStore(clock, 1_000);
  }
}

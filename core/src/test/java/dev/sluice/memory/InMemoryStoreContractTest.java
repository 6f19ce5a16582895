package dev.sluice.memory;

import dev.sluice.Store;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.StoreContract;

class InMemoryStoreContractTest extends StoreContract {
  @Override
  public Store openStore(FakeClock clock) {
    // What is forgotten when, and that it makes no difference, is for InMemoryStoreTest.
    return InMemoryStore.keepingAll(clock);
  }
}

/** Sluice: limits, policies and decisions, the algorithms, and the memory store. */
@SuppressWarnings("module") // dev.sluice.redis is built after this one
module dev.sluice.core {
  requires static transitive org.jspecify;

  exports dev.sluice;
  exports dev.sluice.memory;
  exports dev.sluice.tier;
  exports dev.sluice.algorithm to
      dev.sluice.redis;

  uses dev.sluice.StoreProvider;

  provides dev.sluice.StoreProvider with
      dev.sluice.memory.InMemoryProvider;
}

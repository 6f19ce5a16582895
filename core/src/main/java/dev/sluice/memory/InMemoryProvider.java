package dev.sluice.memory;

import dev.sluice.Store;
import dev.sluice.StoreProvider;
import java.util.Optional;

/** Opens {@code memory}. */
public final class InMemoryProvider implements StoreProvider {
  /** Made by {@link java.util.ServiceLoader}. */
  public InMemoryProvider() {}

  @Override
  public Optional<Store> open(String address) {
    return understands(address) ? Optional.of(new InMemoryStore()) : Optional.empty();
  }

  @Override
  public boolean understands(String address) {
    return address.equals("memory");
  }
}

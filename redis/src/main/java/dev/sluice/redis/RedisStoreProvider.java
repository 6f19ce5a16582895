package dev.sluice.redis;

import dev.sluice.Store;
import dev.sluice.StoreProvider;
import java.util.Optional;

/** Opens {@code redis://} and its relatives, with the default options. */
public final class RedisStoreProvider implements StoreProvider {
  /** Made by {@link java.util.ServiceLoader}. */
  public RedisStoreProvider() {}

  @Override
  public Optional<Store> open(String address) {
    return RedisAddress.understands(address)
        ? Optional.of(RedisStore.connect(address))
        : Optional.empty();
  }

  @Override
  public boolean understands(String address) {
    if (!RedisAddress.understands(address)) {
      return false;
    }
    RedisAddress unused = RedisAddress.parse(address);
    return true;
  }
}

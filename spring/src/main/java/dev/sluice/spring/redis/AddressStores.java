package dev.sluice.spring.redis;

import dev.sluice.Store;
import dev.sluice.StoreProvider;
import dev.sluice.redis.RedisAddress;
import dev.sluice.redis.RedisOptions;
import dev.sluice.redis.RedisStore;
import java.util.Optional;

/** Opens {@code redis://} and its relatives with the options of the properties. */
public final class AddressStores implements StoreProvider {
  private final RedisOptions options;

  /** Stores with these options. */
  public AddressStores(RedisOptions options) {
    this.options = options;
  }

  @Override
  public Optional<Store> open(String address) {
    return RedisAddress.understands(address)
        ? Optional.of(RedisStore.connect(RedisAddress.parse(address), options))
        : Optional.empty();
  }
}

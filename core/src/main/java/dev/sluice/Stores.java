package dev.sluice;

import java.util.ServiceLoader;
import java.util.stream.Stream;

/** Finds the store of an address, among those on the path. */
final class Stores {
  private Stores() {}

  static Store open(String address) {
    return providers()
        .flatMap(provider -> provider.open(address).stream())
        .findFirst()
        .orElseThrow(() -> notUnderstood(address));
  }

  /** Checks an address without opening anything. */
  static void check(String address) {
    if (providers().noneMatch(provider -> provider.understands(address))) {
      throw notUnderstood(address);
    }
  }

  /** A thread may have a loader that knows nothing of Sluice, as those of a common pool do. */
  private static Stream<StoreProvider> providers() {
    return Stream.of(
            ServiceLoader.load(StoreProvider.class),
            ServiceLoader.load(StoreProvider.class, Stores.class.getClassLoader()))
        .flatMap(ServiceLoader::stream)
        .map(ServiceLoader.Provider::get);
  }

  private static IllegalArgumentException notUnderstood(String address) {
    // Only the scheme is shown: an address may hold a password, and begin with it if there is none.
    int colon = address.indexOf(':');
    String start = colon < 0 ? address : address.substring(0, colon + 1) + "…";
    String scheme = start.indexOf('@') < 0 ? start : "…";
    return new IllegalArgumentException(
        "store '%s': no store on the path understands this address; redis needs sluice-redis"
            .formatted(scheme));
  }
}

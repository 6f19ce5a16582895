package dev.sluice;

import java.util.Optional;

/** Opens stores by address; found through {@link java.util.ServiceLoader}. */
public interface StoreProvider {
  /**
   * Opens the store at {@code address}, such as {@code memory} or {@code redis://localhost:6379}.
   *
   * @return empty if this provider does not know that kind of address
   * @throws IllegalArgumentException if it knows the kind but the address is wrong
   */
  Optional<Store> open(String address);

  /**
   * Whether {@code address} may be of a kind that this provider knows, found out without opening
   * anything. One that cannot tell says yes, and leaves it to {@link #open}.
   *
   * @throws IllegalArgumentException if it knows the kind but the address is wrong
   */
  default boolean understands(String address) {
    return true;
  }
}

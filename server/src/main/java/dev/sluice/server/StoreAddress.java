package dev.sluice.server;

import dev.sluice.StoreUnavailableException;
import java.util.Set;
import java.util.regex.Pattern;

/** What may be shown of a store's address, and what its refusals mean. */
final class StoreAddress {
  private static final Pattern USER_INFO = Pattern.compile("(?<=//)[^/]*@");
  private static final Set<String> REFUSALS = Set.of("auth", "noauth", "noperm", "wrongpass");

  private StoreAddress() {}

  /** The address without user, password and options. */
  static String shown(String address) {
    int query = address.indexOf('?');
    String bare = query < 0 ? address : address.substring(0, query);
    return USER_INFO.matcher(bare).replaceFirst("");
  }

  /** Whether the store was reached and does not want us: waiting will not help. */
  static boolean refusesUs(StoreUnavailableException failure) {
    return REFUSALS.contains(failure.reason());
  }
}

package dev.sluice.server;

import java.util.regex.Pattern;

/** What may be shown of a store's address. */
final class StoreAddress {
  private static final Pattern USER_INFO = Pattern.compile("(?<=//)[^/]*@");

  private StoreAddress() {}

  /** The address without user, password and options. */
  static String shown(String address) {
    int query = address.indexOf('?');
    String bare = query < 0 ? address : address.substring(0, query);
    return USER_INFO.matcher(bare).replaceFirst("");
  }
}

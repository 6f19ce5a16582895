package dev.sluice.http.address;

/** A range of addresses: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or one address. */
public record IpRange(IpAddress base, int prefix) {
  /**
   * Reads a range in CIDR form.
   *
   * @throws IllegalArgumentException if it is none, or has bits set behind its prefix: that is more
   *     often a slip than meant
   */
  public static IpRange parse(String text) {
    int slash = text.indexOf('/');
    String literal = slash < 0 ? text : text.substring(0, slash);
    IpAddress base = IpAddress.parse(literal.strip()).orElseThrow(() -> wrong(text));
    if (slash < 0) {
      return new IpRange(base, base.length());
    }
    String bits = text.substring(slash + 1).strip();
    if (!bits.matches("[0-9]{1,3}")) {
      throw wrong(text);
    }
    // A range of mapped addresses is a range of IPv4, written 96 bits longer.
    int embedded = base.isIpv4() && literal.indexOf(':') >= 0 ? 96 : 0;
    int prefix = Integer.parseInt(bits) - embedded;
    if (prefix < 0 || prefix > base.length()) {
      throw wrong(text);
    }
    if (!base.masked(prefix).equals(base)) {
      throw new IllegalArgumentException(
          "address range '%s': must have no bits behind its prefix, did you mean %s/%d?"
              .formatted(text, base.masked(prefix), prefix));
    }
    return new IpRange(base, prefix);
  }

  private static IllegalArgumentException wrong(String text) {
    return new IllegalArgumentException(
        "address range must look like '10.0.0.0/8' or '2001:db8::/32', got '%s'".formatted(text));
  }

  /** Whether the address lies in this range. */
  public boolean contains(IpAddress address) {
    return address.isIpv4() == base.isIpv4() && address.masked(prefix).equals(base);
  }

  @Override
  public String toString() {
    return base + "/" + prefix;
  }
}

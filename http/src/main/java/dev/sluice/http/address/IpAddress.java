package dev.sluice.http.address;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * An address of IPv4 or IPv6, decided on its bits: every spelling of one address is equal.
 *
 * <p>An IPv4 address inside IPv6 is that IPv4 address: mapped ({@code ::ffff:0:0/96}), and behind a
 * NAT64 with the well-known prefix ({@code 64:ff9b::/96}). Masked as IPv6, all of IPv4 would be one
 * client (CVE-2026-30827).
 */
public final class IpAddress {
  private static final byte[] MAPPED = HexFormat.of().parseHex("00000000000000000000ffff");
  private static final byte[] NAT64 = HexFormat.of().parseHex("0064ff9b0000000000000000");
  private static final int LONGEST_LITERAL = 45;

  private final byte[] bytes;

  private IpAddress(byte[] bytes) {
    this.bytes = bytes;
  }

  private static IpAddress of(byte[] bytes) {
    boolean embedded =
        bytes.length == 16 && (startsWith(bytes, MAPPED) || startsWith(bytes, NAT64));
    return new IpAddress(embedded ? Arrays.copyOfRange(bytes, 12, 16) : bytes);
  }

  private static boolean startsWith(byte[] bytes, byte[] prefix) {
    return Arrays.equals(bytes, 0, prefix.length, prefix, 0, prefix.length);
  }

  /**
   * Reads a literal: four decimal numbers without leading zeros, or the forms of RFC 4291, section
   * 2.2, without a zone. Empty for everything else, host names above all.
   */
  public static Optional<IpAddress> parse(String text) {
    if (text.isEmpty() || text.length() > LONGEST_LITERAL) {
      return Optional.empty();
    }
    byte[] bytes = text.indexOf(':') < 0 ? ipv4(text) : ipv6(text);
    return bytes == null ? Optional.empty() : Optional.of(of(bytes));
  }

  private static byte @Nullable [] ipv4(String text) {
    String[] parts = text.split("\\.", -1);
    byte[] bytes = new byte[4];
    if (parts.length != 4) {
      return null;
    }
    for (int i = 0; i < 4; i++) {
      OptionalInt part = number(parts[i], 10, 3);
      // A leading zero means octal to some and nothing to others: whoever writes one gets no say.
      boolean leadingZero = parts[i].length() > 1 && parts[i].charAt(0) == '0';
      if (part.isEmpty() || part.getAsInt() > 255 || leadingZero) {
        return null;
      }
      bytes[i] = (byte) part.getAsInt();
    }
    return bytes;
  }

  private static byte @Nullable [] ipv6(String text) {
    int gap = text.indexOf("::");
    if (gap < 0) {
      byte[] all = groups(text);
      return all != null && all.length == 16 ? all : null;
    }
    byte[] left = groups(text.substring(0, gap));
    byte[] right = groups(text.substring(gap + 2));
    boolean dotsBeforeGap = text.lastIndexOf('.', gap) >= 0;
    // "::" stands for at least one group of zeros.
    if (left == null || right == null || dotsBeforeGap || left.length + right.length > 14) {
      return null;
    }
    byte[] bytes = Arrays.copyOf(left, 16);
    System.arraycopy(right, 0, bytes, 16 - right.length, right.length);
    return bytes;
  }

  /** The bytes of groups between colons, the last of which may be an IPv4 address. */
  private static byte @Nullable [] groups(String text) {
    if (text.isEmpty()) {
      return new byte[0];
    }
    String[] parts = text.split(":", -1);
    if (parts.length > 8) {
      return null;
    }
    byte[] bytes = new byte[0];
    for (int i = 0; i < parts.length; i++) {
      byte[] group;
      if (i == parts.length - 1 && parts[i].indexOf('.') >= 0) {
        group = ipv4(parts[i]);
      } else {
        OptionalInt value = number(parts[i], 16, 4);
        group = value.isEmpty() ? null : twoBytes(value.getAsInt());
      }
      if (group == null) {
        return null;
      }
      bytes = Arrays.copyOf(bytes, bytes.length + group.length);
      System.arraycopy(group, 0, bytes, bytes.length - group.length, group.length);
    }
    return bytes.length > 16 ? null : bytes;
  }

  private static byte[] twoBytes(int value) {
    return new byte[] {(byte) (value >> 8), (byte) value};
  }

  /** A number of at most so many ASCII digits. */
  private static OptionalInt number(String text, int radix, int mostDigits) {
    boolean isNumber =
        !text.isEmpty()
            && text.length() <= mostDigits
            && text.chars().allMatch(c -> c < 128 && Character.digit(c, radix) >= 0);
    return isNumber ? OptionalInt.of(Integer.parseInt(text, radix)) : OptionalInt.empty();
  }

  /** Whether this is an address of IPv4. */
  public boolean isIpv4() {
    return bytes.length == 4;
  }

  /** Bits in the address: 32 or 128. */
  public int length() {
    return 8 * bytes.length;
  }

  /** The address with all but its first {@code bits} set to zero. */
  public IpAddress masked(int bits) {
    byte[] masked = bytes.clone();
    for (int i = 0; i < masked.length; i++) {
      int kept = Math.max(0, Math.min(8, bits - 8 * i));
      masked[i] &= (byte) (0xFF00 >> kept);
    }
    return new IpAddress(masked);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof IpAddress that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** The one spelling of RFC 5952. */
  @Override
  public String toString() {
    if (isIpv4()) {
      // By hand: this runs on every request, where String.format would cost more than all the rest.
      return (bytes[0] & 0xFF)
          + "."
          + (bytes[1] & 0xFF)
          + "."
          + (bytes[2] & 0xFF)
          + "."
          + (bytes[3] & 0xFF);
    }
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = (bytes[2 * i] & 0xFF) << 8 | (bytes[2 * i + 1] & 0xFF);
    }
    int start = 0;
    int longest = 1;
    for (int i = 0; i < 8; i++) {
      int end = i;
      while (end < 8 && groups[end] == 0) {
        end++;
      }
      if (end - i > longest) {
        start = i;
        longest = end - i;
      }
    }
    return longest == 1
        ? hex(groups, 0, 8)
        : hex(groups, 0, start) + "::" + hex(groups, start + longest, 8);
  }

  private static String hex(int[] groups, int from, int to) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append(i == from ? "" : ":").append(Integer.toHexString(groups[i]));
    }
    return text.toString();
  }
}

package dev.sluice.http.address;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The hops that a forwarding header names, read from the right: the nearest proxy wrote the last.
 * Reading stops where the caller stops, so nothing that a client wrote on the left, broken quotes
 * included, changes what is read on the right.
 */
public final class Hops {
  private static final Pattern PORT = Pattern.compile(":([0-9]{1,5}|_[A-Za-z0-9._-]{1,64})");

  private final String text;
  private final boolean elements;
  private int end;

  private Hops(List<String> lines, boolean elements) {
    this.text = String.join(",", lines);
    this.elements = elements;
    this.end = lines.isEmpty() ? -1 : text.length();
  }

  /** The hops of {@code X-Forwarded-For}: addresses between commas. */
  public static Hops forwardedFor(List<String> lines) {
    return new Hops(lines, false);
  }

  /** The hops of {@code Forwarded} (RFC 7239): the {@code for} of each element. */
  public static Hops forwarded(List<String> lines) {
    return new Hops(lines, true);
  }

  /** Whether there are hops further to the left. */
  public boolean hasNext() {
    return end >= 0;
  }

  /** The next hop to the left; empty where it is no address. */
  public Optional<IpAddress> next() {
    int comma = lastOutsideQuotes(text, ',', end);
    String hop = text.substring(comma + 1, end);
    end = comma;
    return elements ? forOf(hop).flatMap(Hops::node) : node(unquoted(trimmed(hop)));
  }

  /** The value of the one {@code for} in an element. */
  private static Optional<String> forOf(String element) {
    Optional<String> found = Optional.empty();
    int end = element.length();
    while (end >= 0) {
      int semicolon = lastOutsideQuotes(element, ';', end);
      String pair = trimmed(element.substring(semicolon + 1, end));
      end = semicolon;
      int equals = pair.indexOf('=');
      if (equals > 0 && pair.substring(0, equals).toLowerCase(Locale.ROOT).equals("for")) {
        if (found.isPresent()) {
          return Optional.empty();
        }
        found = Optional.of(unquoted(pair.substring(equals + 1)));
      }
    }
    return found;
  }

  /** Where the last such character before {@code end} stands outside quotes, or before all: -1. */
  private static int lastOutsideQuotes(String text, char wanted, int end) {
    boolean quoted = false;
    for (int i = end - 1; i >= 0; i--) {
      char c = text.charAt(i);
      if (c == '"' && !isEscaped(text, i)) {
        quoted = !quoted;
      } else if (c == wanted && !quoted) {
        return i;
      }
    }
    return -1;
  }

  private static boolean isEscaped(String text, int quote) {
    int backslashes = 0;
    while (quote - backslashes > 0 && text.charAt(quote - backslashes - 1) == '\\') {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }

  /** Without the blanks that HTTP allows around an element: spaces and tabs, nothing else. */
  private static String trimmed(String text) {
    int from = 0;
    int to = text.length();
    while (from < to && isBlank(text.charAt(from))) {
      from++;
    }
    while (from < to && isBlank(text.charAt(to - 1))) {
      to--;
    }
    return text.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  /** The text inside a pair of quotes; escapes stay, since no address needs one. */
  private static String unquoted(String text) {
    return text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"")
        ? text.substring(1, text.length() - 1)
        : text;
  }

  /**
   * The address of a node, without its port: {@code 192.0.2.1:80}, {@code [2001:db8::1]:80}, {@code
   * 2001:db8::1}. {@code unknown}, {@code _hidden} and host names have none.
   */
  private static Optional<IpAddress> node(String node) {
    if (node.startsWith("[")) {
      int close = node.indexOf(']');
      boolean isIpv6 = close > 0 && node.lastIndexOf(':', close) > 0;
      return isIpv6 && isPort(node.substring(close + 1))
          ? IpAddress.parse(node.substring(1, close))
          : Optional.empty();
    }
    int colon = node.indexOf(':');
    if (colon < 0 || node.indexOf(':', colon + 1) >= 0) {
      return IpAddress.parse(node);
    }
    return isPort(node.substring(colon))
        ? IpAddress.parse(node.substring(0, colon))
        : Optional.empty();
  }

  private static boolean isPort(String suffix) {
    return suffix.isEmpty() || PORT.matcher(suffix).matches();
  }
}

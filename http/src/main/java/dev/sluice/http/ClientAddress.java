package dev.sluice.http;

import dev.sluice.http.address.Hops;
import dev.sluice.http.address.IpAddress;
import dev.sluice.http.address.IpRange;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Finds the address of the client that a request comes from. Immutable.
 *
 * <p>Nothing is trusted by default: the address is the peer's, whatever headers say. Behind
 * proxies, name their addresses ({@link #trusting}) and the one header that they all write ({@link
 * #header}). The hops are then walked from the right, starting with the peer: the first address
 * that is not a trusted proxy is the client. At a hop that is no address the walk stops at the last
 * good one, a proxy; such requests share that proxy's key. If all hops are trusted, the leftmost is
 * the client.
 *
 * <p>The answer is the key: IPv4 in full, IPv6 by its network ({@code 2001:db8:1:2::/64}), since
 * one subscriber has 2^64 addresses or more.
 */
public final class ClientAddress {
  /** The header in which proxies pass the client's address on. */
  public enum Header {
    /** {@code X-Forwarded-For}, all lines of it. */
    X_FORWARDED_FOR,
    /** {@code Forwarded}, of RFC 7239, all lines of it. */
    FORWARDED
  }

  private static final int DEFAULT_IPV6_PREFIX = 64;

  private final List<IpRange> trusted;
  private final Header header;
  private final int ipv6Prefix;

  private ClientAddress(List<IpRange> trusted, Header header, int ipv6Prefix) {
    this.trusted = trusted;
    this.header = header;
    this.ipv6Prefix = ipv6Prefix;
  }

  /** The peer's address: no header is looked at. */
  public static ClientAddress ofPeer() {
    return new ClientAddress(List.of(), Header.X_FORWARDED_FOR, DEFAULT_IPV6_PREFIX);
  }

  /**
   * Believes the proxies in these ranges, such as {@code 10.0.0.0/8} or {@code ::1}.
   *
   * @throws IllegalArgumentException if a range cannot be read
   */
  public static ClientAddress trusting(String... ranges) {
    return trusting(Arrays.asList(ranges));
  }

  /** As {@link #trusting(String...)}. */
  public static ClientAddress trusting(List<String> ranges) {
    List<IpRange> parsed = ranges.stream().map(IpRange::parse).toList();
    return new ClientAddress(parsed, Header.X_FORWARDED_FOR, DEFAULT_IPV6_PREFIX);
  }

  /**
   * The header that every trusted proxy writes; {@code X-Forwarded-For} by default. Only one is
   * read: a proxy passes on what it does not know, so the other one would be the client's to write.
   */
  public ClientAddress header(Header written) {
    return new ClientAddress(trusted, written, ipv6Prefix);
  }

  /**
   * How many bits of an IPv6 address name one client, from 32 to 128; 64 by default.
   *
   * @throws IllegalArgumentException if outside of that
   */
  public ClientAddress ipv6Prefix(int bits) {
    if (bits < 32 || bits > 128) {
      throw new IllegalArgumentException(
          "IPv6 prefix must be from 32 to 128 bits, got %d".formatted(bits));
    }
    return new ClientAddress(trusted, header, bits);
  }

  /** The client's address as a key; empty where the peer has none, as on a Unix socket. */
  public Optional<String> of(HttpRequestView request) {
    return request
        .remoteAddress()
        .flatMap(ClientAddress::peer)
        .map(peer -> text(isTrusted(peer) ? walk(peer, request) : peer));
  }

  /** The peer comes from the socket, not from the client; Java may append its network interface. */
  private static Optional<IpAddress> peer(String literal) {
    int zone = literal.indexOf('%');
    return IpAddress.parse(zone < 0 ? literal : literal.substring(0, zone));
  }

  private IpAddress walk(IpAddress peer, HttpRequestView request) {
    Hops hops =
        header == Header.FORWARDED
            ? Hops.forwarded(request.headers("Forwarded"))
            : Hops.forwardedFor(request.headers("X-Forwarded-For"));
    IpAddress client = peer;
    while (hops.hasNext() && isTrusted(client)) {
      Optional<IpAddress> hop = hops.next();
      if (hop.isEmpty()) {
        return client;
      }
      client = hop.get();
    }
    return client;
  }

  private boolean isTrusted(IpAddress address) {
    return trusted.stream().anyMatch(range -> range.contains(address));
  }

  private String text(IpAddress client) {
    return client.isIpv4() || ipv6Prefix == client.length()
        ? client.toString()
        : client.masked(ipv6Prefix) + "/" + ipv6Prefix;
  }

  @Override
  public String toString() {
    return "ClientAddress[trusting %s, by %s]".formatted(trusted, header);
  }
}

package dev.sluice.http;

import java.util.function.Function;

/** The words of rules that stand for keys; see {@link RequestKey#parse}. */
final class KeyWords {
  private static final String EXPECTED =
      "key must be address, principal, claim:NAME, UNVERIFIED-jwt-claim:NAME, header:NAME, api-key,"
          + " api-key:HEADER, cookie:NAME, route, method or everyone, got '%s'";

  private final String text;
  private final String kind;
  private final String name;
  private final String normaliser;

  private KeyWords(String text) {
    this.text = text;
    int bar = text.indexOf('|');
    String word = bar < 0 ? text : text.substring(0, bar).strip();
    int colon = word.indexOf(':');
    this.kind = colon < 0 ? word : word.substring(0, colon).strip();
    this.name = colon < 0 ? "" : word.substring(colon + 1).strip();
    this.normaliser = bar < 0 ? "" : text.substring(bar + 1).strip();
    if (colon >= 0 && name.isEmpty()) {
      throw wrong();
    }
  }

  static RequestKey parse(String part, ClientAddress address) {
    return new KeyWords(part.strip()).key(address);
  }

  private RequestKey key(ClientAddress address) {
    return switch (kind) {
      case "address" -> plain(RequestKey.address(address));
      case "principal" -> bare(RequestKey.principal(spelling()));
      case "claim" -> named(n -> RequestKey.claim(n, spelling()));
      case "header" -> named(n -> RequestKey.header(n, spelling()));
      case "UNVERIFIED-jwt-claim" -> exact(named(RequestKey::UNVERIFIED_jwtClaim));
      case "cookie" -> exact(named(RequestKey::cookie));
      case "api-key" -> exact(RequestKey.apiKey(name.isEmpty() ? "X-Api-Key" : name));
      case "route" -> plain(RequestKey.route());
      case "method" -> plain(RequestKey.method());
      case "everyone" -> plain(RequestKey.everyone());
      default -> throw wrong();
    };
  }

  private Normaliser spelling() {
    return normaliser.isEmpty() ? Normaliser.TEXT : Normaliser.parse(normaliser);
  }

  /** A kind with a name. */
  private RequestKey named(Function<String, RequestKey> make) {
    if (name.isEmpty()) {
      throw wrong();
    }
    return make.apply(name);
  }

  /** A kind without a name. */
  private RequestKey bare(RequestKey key) {
    if (!name.isEmpty()) {
      throw wrong();
    }
    return key;
  }

  /** A kind without a choice of spellings. */
  private RequestKey exact(RequestKey key) {
    if (!normaliser.isEmpty()) {
      throw new IllegalArgumentException(
          "key '%s': only principal, claim and header take a normaliser, got '%s'"
              .formatted(text, normaliser));
    }
    return key;
  }

  private RequestKey plain(RequestKey key) {
    return exact(bare(key));
  }

  private IllegalArgumentException wrong() {
    return new IllegalArgumentException(EXPECTED.formatted(text));
  }
}

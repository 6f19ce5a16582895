package dev.sluice.http;

import dev.sluice.http.field.Cookies;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the key of a request: who is being limited. Empty where the request does not say; what
 * happens then is {@link MissingKey}.
 *
 * <p>Each key begins with the word for its kind, so that keys of two kinds never meet in one
 * counter: {@code ip:203.0.113.7}, {@code user:alice}, {@code header:x-tenant:acme}. API keys and
 * cookies are secrets, so their keys hold a digest.
 */
@FunctionalInterface
public interface RequestKey {
  /** The key of a request; empty where it has none. */
  Optional<String> of(HttpRequestView request);

  /** {@code ip:…}: the client's address. */
  static RequestKey address(ClientAddress address) {
    return request -> address.of(request).map(text -> "ip:" + text);
  }

  /** {@code user:…}: the user that the application has verified. */
  static RequestKey principal() {
    return principal(Normaliser.TEXT);
  }

  /** As {@link #principal()}, for applications that take several spellings for one user. */
  static RequestKey principal(Normaliser normaliser) {
    return request -> text("user:", request.principal(), normaliser);
  }

  /** {@code claim:name:…}: a claim of a token that the application has verified. */
  static RequestKey claim(String name) {
    return claim(name, Normaliser.TEXT);
  }

  /** As {@link #claim(String)}, with a choice of spellings. */
  static RequestKey claim(String name, Normaliser normaliser) {
    return request -> text("claim:" + name + ":", request.claim(name), normaliser);
  }

  /**
   * {@code UNVERIFIED-claim:name:…}: a claim of the bearer token as the client wrote it.
   * <strong>Its signature is not checked: a client can put anything there, and so take a fresh key
   * for each request or spend the permits of another.</strong> Use it only behind something that
   * has rejected bad tokens before.
   */
  @SuppressWarnings("MemberName") // loud on purpose
  static RequestKey UNVERIFIED_jwtClaim(String name) {
    return request ->
        single(request.headers("Authorization"))
            .flatMap(line -> UnverifiedToken.claim(line, name))
            .flatMap(
                claim ->
                    text("UNVERIFIED-claim:" + name + ":", Optional.of(claim), Normaliser.TEXT));
  }

  /** {@code header:name:…}: a header that comes once; a request that has it twice has no key. */
  static RequestKey header(String name) {
    return header(name, Normaliser.TEXT);
  }

  /** As {@link #header(String)}, with a choice of spellings. */
  static RequestKey header(String name, Normaliser normaliser) {
    String prefix = "header:" + name.toLowerCase(Locale.ROOT) + ":";
    return request -> text(prefix, single(request.headers(name)), normaliser);
  }

  /** {@code api-key:…}: the digest of a secret in a header, such as {@code X-Api-Key}. */
  static RequestKey apiKey(String header) {
    return request -> digest("api-key:", single(request.headers(header)));
  }

  /** {@code cookie:name:…}: the digest of a cookie. */
  static RequestKey cookie(String name) {
    return request ->
        digest("cookie:" + name + ":", Cookies.value(request.headers("Cookie"), name));
  }

  /** {@code route:…}: the template that the framework routed to. Missing where it knows none. */
  static RequestKey route() {
    return request -> request.route().map(template -> "route:" + template);
  }

  /** {@code method:…}: the method; HEAD counts as GET. */
  static RequestKey method() {
    return request -> Optional.of("method:" + LimitRule.method(request.method()));
  }

  /** {@code all}: one key for everybody. */
  static RequestKey everyone() {
    return request -> Optional.of("all");
  }

  /** Several keys as one: missing if one of them is. Different parts never make the same key. */
  static RequestKey combined(RequestKey... parts) {
    return combined(Arrays.asList(parts));
  }

  /** As {@link #combined(RequestKey...)}. */
  static RequestKey combined(List<RequestKey> parts) {
    if (parts.size() == 1) {
      return parts.get(0);
    }
    return request -> {
      StringBuilder joined = new StringBuilder();
      for (RequestKey part : parts) {
        Optional<String> key = part.of(request);
        if (key.isEmpty()) {
          return Optional.empty();
        }
        joined.append(joined.isEmpty() ? "" : "|");
        joined.append(key.get().replace("\\", "\\\\").replace("|", "\\|"));
      }
      return Optional.of(joined.toString());
    };
  }

  /**
   * Reads a key from the words of a rule: {@code address}, {@code principal}, {@code
   * header:X-Tenant}, {@code api-key} (of {@code X-Api-Key}) or {@code api-key:Name}, {@code
   * cookie:sid}, {@code claim:sub}, {@code UNVERIFIED-jwt-claim:sub}, {@code route}, {@code
   * method}, {@code everyone}; joined by {@code +}; header, claim and principal with a {@link
   * Normaliser} behind a bar: {@code header:X-User|email}.
   *
   * @throws IllegalArgumentException if a word is unknown
   */
  static RequestKey parse(String text, ClientAddress address) {
    return combined(
        Arrays.stream(text.split("\\+", -1)).map(part -> KeyWords.parse(part, address)).toList());
  }

  private static Optional<String> text(
      String prefix, Optional<String> value, Normaliser normaliser) {
    return value.map(normaliser::apply).filter(text -> !text.isEmpty()).map(prefix::concat);
  }

  private static Optional<String> digest(String prefix, Optional<String> secret) {
    return secret
        .map(String::strip)
        .filter(text -> !text.isEmpty())
        .map(RequestKey::sha256)
        .map(prefix::concat);
  }

  /** Half of SHA-256: still far beyond finding two that meet. */
  private static String sha256(String secret) {
    try {
      byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  /** A header that comes twice may mean one thing here and another in the application. */
  private static Optional<String> single(List<String> lines) {
    return lines.size() == 1 ? Optional.of(lines.get(0)) : Optional.empty();
  }
}

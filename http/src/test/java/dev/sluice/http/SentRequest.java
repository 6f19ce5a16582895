package dev.sluice.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A request made of plain values. */
final class SentRequest implements HttpRequestView {
  private final String method;
  private final String path;
  private final Map<String, List<String>> headers = new HashMap<>();
  private final Map<String, String> claims = new HashMap<>();
  private Optional<String> remoteAddress = Optional.empty();
  private Optional<String> principal = Optional.empty();
  private Optional<String> route = Optional.empty();

  private SentRequest(String method, String path) {
    this.method = method;
    this.path = path;
  }

  static SentRequest of(String method, String path) {
    return new SentRequest(method, path);
  }

  static SentRequest from(String remoteAddress) {
    SentRequest request = of("GET", "/");
    request.remoteAddress = Optional.of(remoteAddress);
    return request;
  }

  SentRequest header(String name, String line) {
    headers.computeIfAbsent(name.toLowerCase(Locale.ROOT), n -> new ArrayList<>()).add(line);
    return this;
  }

  SentRequest address(String literal) {
    remoteAddress = Optional.of(literal);
    return this;
  }

  SentRequest principal(String name) {
    principal = Optional.of(name);
    return this;
  }

  SentRequest route(String template) {
    route = Optional.of(template);
    return this;
  }

  SentRequest claim(String name, String value) {
    claims.put(name, value);
    return this;
  }

  @Override
  public String method() {
    return method;
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public Optional<String> route() {
    return route;
  }

  @Override
  public List<String> headers(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
  }

  @Override
  public Optional<String> remoteAddress() {
    return remoteAddress;
  }

  @Override
  public Optional<String> principal() {
    return principal;
  }

  @Override
  public Optional<String> claim(String name) {
    return Optional.ofNullable(claims.get(name));
  }
}

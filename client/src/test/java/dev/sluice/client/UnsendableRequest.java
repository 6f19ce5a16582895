package dev.sluice.client;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** A request that the client refuses at once; no builder makes one. */
final class UnsendableRequest extends HttpRequest {
  @Override
  public Optional<BodyPublisher> bodyPublisher() {
    return Optional.empty();
  }

  @Override
  public String method() {
    return "GET";
  }

  @Override
  public Optional<Duration> timeout() {
    return Optional.empty();
  }

  @Override
  public boolean expectContinue() {
    return false;
  }

  @Override
  public URI uri() {
    return URI.create("ftp://127.0.0.1/");
  }

  @Override
  public Optional<HttpClient.Version> version() {
    return Optional.empty();
  }

  @Override
  public HttpHeaders headers() {
    return HttpHeaders.of(Map.of(), (name, value) -> true);
  }
}

package dev.sluice.spring.webflux;

import dev.sluice.http.HttpRequestView;
import dev.sluice.spring.security.VerifiedClaims;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.http.server.reactive.ServerHttpRequest;

/** An exchange as keys and rules see it. */
record ExchangeView(ServerHttpRequest request, Optional<Principal> user, VerifiedClaims claims)
    implements HttpRequestView {
  @Override
  public String method() {
    return request.getMethod().name();
  }

  @Override
  public String path() {
    return request.getPath().pathWithinApplication().value();
  }

  @Override
  public List<String> headers(String name) {
    List<String> lines = new ArrayList<>();
    // The look-up by name has another signature in Spring 6; this one is the same in both.
    request
        .getHeaders()
        .forEach(
            (header, values) -> {
              if (header.equalsIgnoreCase(name)) {
                lines.addAll(values);
              }
            });
    return lines;
  }

  @Override
  public Optional<String> remoteAddress() {
    return Optional.ofNullable(request.getRemoteAddress()).map(ExchangeView::literal);
  }

  /** Behind a transformer of forwarding headers the address is a text that was never looked up. */
  private static String literal(InetSocketAddress peer) {
    InetAddress address = peer.getAddress();
    return address == null ? peer.getHostString() : address.getHostAddress();
  }

  @Override
  public Optional<String> principal() {
    return user.map(Principal::getName);
  }

  @Override
  public Optional<String> claim(String name) {
    return user.flatMap(known -> claims.of(known, name));
  }
}

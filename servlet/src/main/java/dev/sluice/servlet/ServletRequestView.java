package dev.sluice.servlet;

import dev.sluice.http.HttpRequestView;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

/** A servlet request as keys and rules see it. */
record ServletRequestView(
    HttpServletRequest request, BiFunction<HttpServletRequest, String, Optional<String>> claims)
    implements HttpRequestView {
  @Override
  public String method() {
    return request.getMethod();
  }

  @Override
  public String path() {
    String uri = request.getRequestURI();
    String context = request.getContextPath();
    if (uri.startsWith(context)) {
      return uri.substring(context.length());
    }
    // Another spelling of the context path: the container has taken it off, and decoded the rest.
    return request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
  }

  @Override
  public List<String> headers(String name) {
    return Collections.list(request.getHeaders(name));
  }

  @Override
  public Optional<String> remoteAddress() {
    return Optional.ofNullable(request.getRemoteAddr());
  }

  @Override
  public Optional<String> principal() {
    return Optional.ofNullable(request.getUserPrincipal()).map(Principal::getName);
  }

  @Override
  public Optional<String> claim(String name) {
    return claims.apply(request, name);
  }
}

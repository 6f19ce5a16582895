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
    int context = request.getContextPath().length();
    // By length, as Spring does. Else the context path is spelt in a way that only the container
    // knows.
    return uri.startsWith("/", context) ? uri.substring(context) : mapped();
  }

  @Override
  public Optional<String> mappedPath() {
    return Optional.of(mapped()).filter(mapped -> !mapped.equals(path()));
  }

  /** The container has decoded this, so what would be decoded or cut once more is escaped. */
  private String mapped() {
    String decoded =
        request.getServletPath() + Objects.requireNonNullElse(request.getPathInfo(), "");
    return decoded.replace("%", "%25").replace(";", "%3B");
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

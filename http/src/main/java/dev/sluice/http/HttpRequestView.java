package dev.sluice.http;

import java.util.List;
import java.util.Optional;

/** What keys and rules need to see of a request, whatever the framework. */
public interface HttpRequestView {
  /** The method, such as {@code GET}. */
  String method();

  /**
   * The path as it was sent, still percent-encoded, without the application's own prefix and
   * without the query.
   */
  String path();

  /**
   * The path by which the server has chosen who answers, in the form of {@link #path}; empty where
   * it is not known or the same. Rules look at both: that dots lead out of the application and back
   * ({@code /app/../app/login}), only the server knows.
   */
  default Optional<String> mappedPath() {
    return Optional.empty();
  }

  /** The template that the framework routed the request to, such as {@code /orders/{id}}. */
  default Optional<String> route() {
    return Optional.empty();
  }

  /** All lines of a header in order, found in any case; empty where there are none. */
  List<String> headers(String name);

  /** The address literal of the peer on the other end of the connection; empty where unknown. */
  Optional<String> remoteAddress();

  /** The name of the user, where the application has verified who that is. */
  default Optional<String> principal() {
    return Optional.empty();
  }

  /** A claim of a token that the application has verified. */
  default Optional<String> claim(String name) {
    return Optional.empty();
  }
}

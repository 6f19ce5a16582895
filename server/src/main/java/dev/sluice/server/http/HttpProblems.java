package dev.sluice.server.http;

import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServerErrorHandler;
import com.linecorp.armeria.server.ServiceConfig;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.sluice.http.Problem;
import org.jspecify.annotations.Nullable;

/** What goes wrong before or around a route, as problem documents too. */
final class HttpProblems implements ServerErrorHandler {
  static final int LARGEST_BODY = 64 * 1024;
  static final int LARGEST_HEADERS = 16 * 1024;

  private final Routes routes;

  HttpProblems(Routes routes) {
    this.routes = routes;
  }

  @Override
  public HttpResponse onServiceException(ServiceRequestContext context, Throwable cause) {
    return Answers.failure(cause);
  }

  @Override
  public AggregatedHttpResponse renderStatus(
      @Nullable ServiceRequestContext context,
      ServiceConfig config,
      @Nullable RequestHeaders headers,
      HttpStatus status,
      @Nullable String description,
      @Nullable Throwable cause) {
    if (status.equals(HttpStatus.METHOD_NOT_ALLOWED) && headers != null) {
      return notAllowed(routes.allowed(headers.path()));
    }
    Problem problem = of(status);
    return AggregatedHttpResponse.of(
        Answers.problemHeaders(problem).build(), HttpData.wrap(problem.json()));
  }

  /** Only a method that Armeria does not know comes here; it does not tell which. */
  private static AggregatedHttpResponse notAllowed(String allowed) {
    Problem problem = notAllowed("another", allowed);
    return AggregatedHttpResponse.of(
        Answers.problemHeaders(problem).add(HttpHeaderNames.ALLOW, allowed).build(),
        HttpData.wrap(problem.json()));
  }

  static Problem notAllowed(String method, String allowed) {
    return Problem.of(
        405, "Method Not Allowed", "method: must be %s here, got %s".formatted(allowed, method));
  }

  static Problem of(HttpStatus status) {
    String detail =
        switch (status.code()) {
          case 400 ->
              "request: must be HTTP with a path of percent-encoded UTF-8, without control"
                  + " characters and without '..' between slashes; POST /v1/check takes any key";
          case 404 -> "path: nothing is here; a slash inside a key is written %2F";
          case 413 -> "body: must be at most " + LARGEST_BODY + " bytes";
          case 414, 431 ->
              "headers: must be at most " + LARGEST_HEADERS + " bytes, the path included";
          case 503 -> "the request took too long";
          default -> status.reasonPhrase();
        };
    return Problem.of(status.code(), status.reasonPhrase(), detail);
  }
}

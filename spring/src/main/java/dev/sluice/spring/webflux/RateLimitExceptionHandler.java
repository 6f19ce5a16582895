package dev.sluice.spring.webflux;

import dev.sluice.http.RateLimitHeaders;
import dev.sluice.spring.web.RateLimitProblem;
import org.springframework.core.Ordered;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/**
 * Answers denied calls with 429, a problem document and the rate limit headers. It stands behind
 * the application's own exception handlers, which therefore win, and before Boot's error page.
 */
public final class RateLimitExceptionHandler implements WebExceptionHandler, Ordered {
  private static final int BEFORE_THE_ERROR_PAGE = -2;

  private final RateLimitHeaders headers;

  /** A handler that writes these headers. */
  public RateLimitExceptionHandler(RateLimitHeaders headers) {
    this.headers = headers;
  }

  @Override
  public int getOrder() {
    return BEFORE_THE_ERROR_PAGE;
  }

  @Override
  public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
    ServerHttpResponse response = exchange.getResponse();
    return RateLimitProblem.of(failure)
        .filter(problem -> !response.isCommitted())
        .map(
            problem -> {
              RateLimitProblem.headers(failure, headers, response.getHeaders()::set);
              return RateLimitWebFilter.write(problem, response);
            })
        .orElseGet(() -> Mono.error(failure));
  }
}

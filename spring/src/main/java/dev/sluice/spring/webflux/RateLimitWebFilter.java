package dev.sluice.spring.webflux;

import dev.sluice.http.HttpRequestView;
import dev.sluice.http.Problem;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.http.RequestLimiter;
import dev.sluice.http.Verdict;
import dev.sluice.spring.reactive.Turn;
import dev.sluice.spring.security.VerifiedClaims;
import java.security.Principal;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Keeps requests of a WebFlux application within their limits, without blocking. Every checked
 * response has rate limit headers; what does not pass is answered here, with a problem document.
 *
 * <p>A request that must wait its turn ({@code leaky-bucket}) waits without a thread; if its client
 * leaves meanwhile, the place is given back. Permits of {@code concurrency} limits are released
 * when the response ends, whichever way.
 */
public final class RateLimitWebFilter implements WebFilter, Ordered {
  private final RequestLimiter limiter;
  private final RateLimitHeaders headers;
  private final VerifiedClaims claims;
  private final int order;

  /** A filter that stands at {@code order}. */
  public RateLimitWebFilter(
      RequestLimiter limiter, RateLimitHeaders headers, VerifiedClaims claims, int order) {
    this.limiter = limiter;
    this.headers = headers;
    this.claims = claims;
    this.order = order;
  }

  @Override
  public int getOrder() {
    return order;
  }

  @Override
  public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
    return exchange
        .<Principal>getPrincipal()
        .map(Optional::of)
        .defaultIfEmpty(Optional.empty())
        .map(user -> new ExchangeView(exchange.getRequest(), user, claims))
        .flatMap(view -> limited(view, exchange, chain));
  }

  private Mono<Void> limited(
      HttpRequestView view, ServerWebExchange exchange, WebFilterChain chain) {
    Turn<Verdict> turn = new Turn<>(limiter::release, this::giveBack);
    return turn.answer(limiter.checkAsync(view))
        .flatMap(verdict -> answer(verdict, turn, exchange, chain))
        .doFinally(signal -> turn.leave());
  }

  /** Where one of several checks denied, none was charged, whatever the others said. */
  private void giveBack(Verdict verdict) {
    if (verdict.passes()) {
      limiter.giveBack(verdict);
    }
  }

  private Mono<Void> answer(
      Verdict verdict, Turn<Verdict> turn, ServerWebExchange exchange, WebFilterChain chain) {
    ServerHttpResponse response = exchange.getResponse();
    if (!verdict.decisions().isEmpty()) {
      headers.write(verdict.decisions(), response.getHeaders()::set);
    }
    return verdict
        .problem()
        .map(problem -> write(problem, response))
        .orElseGet(() -> inTurn(verdict).then(pass(turn, exchange, chain)));
  }

  private static Mono<Void> inTurn(Verdict verdict) {
    return verdict.waitTime().isZero() ? Mono.empty() : Mono.delay(verdict.waitTime()).then();
  }

  private static Mono<Void> pass(
      Turn<Verdict> turn, ServerWebExchange exchange, WebFilterChain chain) {
    return Mono.defer(
        () -> {
          turn.enter();
          return chain.filter(exchange);
        });
  }

  /** Answers with a problem document. */
  static Mono<Void> write(Problem problem, ServerHttpResponse response) {
    byte[] body = problem.json();
    response.setStatusCode(HttpStatusCode.valueOf(problem.status()));
    response.getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
    response.getHeaders().setContentLength(body.length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
  }
}

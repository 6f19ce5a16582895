package dev.sluice.servlet;

import dev.sluice.Decision;
import dev.sluice.Sluice;
import dev.sluice.http.LimitRules;
import dev.sluice.http.Problem;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.http.RequestLimiter;
import dev.sluice.http.Verdict;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Keeps requests within their limits. Every checked response has rate limit headers; what does not
 * pass is answered here, with a problem document: 429 where a limit denies, 400 where a key is
 * missing, 503 where the store failed and the policy denies then.
 *
 * <pre>{@code
 * RateLimitFilter filter = RateLimitFilter.of(sluice, rules);
 * FilterRegistration.Dynamic registration = context.addFilter("rate-limit", filter);
 * registration.setAsyncSupported(true);
 * registration.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
 * }</pre>
 *
 * <p>A request is checked once, when the filter first sees it, and not again when it is forwarded,
 * dispatched or answered with an error page.
 *
 * <p>A request that must wait its turn ({@code leaky-bucket}) holds no thread where the request
 * supports asynchronous processing: it is dispatched again when its time has come. As with every
 * such dispatch, filters behind this one run then only if they are mapped to {@code ASYNC}. Put
 * filters that must see every request, such as authentication, before this one, map them to {@code
 * ASYNC} too, or leave this filter without support for asynchronous requests: then the wait holds
 * its thread.
 *
 * <p>Permits of {@code concurrency} limits are released when the response ends, whichever way.
 */
public final class RateLimitFilter implements Filter {
  private final RequestLimiter limiter;
  private final RateLimitHeaders headers;
  private final BiFunction<HttpServletRequest, String, Optional<String>> claims;

  // Two filters with different rules may stand in one chain.
  private final String decided = RateLimitFilter.class.getName() + "@" + hashCode();

  private RateLimitFilter(
      RequestLimiter limiter,
      RateLimitHeaders headers,
      BiFunction<HttpServletRequest, String, Optional<String>> claims) {
    this.limiter = limiter;
    this.headers = headers;
    this.claims = claims;
  }

  /**
   * A filter with the standard headers.
   *
   * @throws IllegalArgumentException if a rule names a policy that {@code sluice} does not have
   */
  public static RateLimitFilter of(Sluice sluice, LimitRules rules) {
    return of(new RequestLimiter(sluice, rules));
  }

  /** A filter with the standard headers that asks this limiter. */
  public static RateLimitFilter of(RequestLimiter limiter) {
    return new RateLimitFilter(
        limiter, RateLimitHeaders.standard(), (request, name) -> Optional.empty());
  }

  /** The same filter with other headers. */
  public RateLimitFilter headers(RateLimitHeaders other) {
    return new RateLimitFilter(limiter, other, claims);
  }

  /** The same filter, which finds verified claims with this function of request and name. */
  public RateLimitFilter claims(BiFunction<HttpServletRequest, String, Optional<String>> finder) {
    return new RateLimitFilter(limiter, headers, finder);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (!(request instanceof HttpServletRequest http)
        || !(response instanceof HttpServletResponse answer)
        || http.getAttribute(decided) != null) {
      chain.doFilter(request, response);
      return;
    }
    Verdict verdict = limiter.check(new ServletRequestView(http, claims));
    http.setAttribute(decided, verdict);
    if (!verdict.decisions().isEmpty()) {
      headers.write(verdict.decisions(), answer::setHeader);
    }
    Optional<Problem> problem = verdict.problem();
    if (problem.isPresent()) {
      write(problem.get(), answer);
    } else if (verdict.waitTime().isZero()) {
      pass(verdict, http, answer, chain);
    } else if (http.isAsyncSupported()) {
      AsyncTurn.start(limiter, verdict, http);
    } else {
      waitHere(verdict);
      pass(verdict, http, answer, chain);
    }
  }

  private void pass(
      Verdict verdict, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (verdict.decisions().stream().map(Decision::lease).allMatch(Optional::isEmpty)) {
      chain.doFilter(request, response);
      return;
    }
    HeldRequest held = new HeldRequest(request, () -> limiter.release(verdict));
    try {
      chain.doFilter(held, response);
    } finally {
      held.returned();
    }
  }

  private void waitHere(Verdict verdict) throws InterruptedIOException {
    try {
      TimeUnit.NANOSECONDS.sleep(verdict.waitTime().toNanos());
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
      limiter.giveBack(verdict);
      throw new InterruptedIOException("interrupted while a request waited for its turn");
    }
  }

  private static void write(Problem problem, HttpServletResponse response) throws IOException {
    byte[] body = problem.json();
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }
}

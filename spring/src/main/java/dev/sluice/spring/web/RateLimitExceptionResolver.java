package dev.sluice.spring.web;

import dev.sluice.http.Problem;
import dev.sluice.http.RateLimitHeaders;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers denied calls with 429, a problem document and the rate limit headers. It stands behind
 * the application's own exception handlers, which therefore win.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {
  private final RateLimitHeaders headers;

  /** A resolver that writes these headers. */
  public RateLimitExceptionResolver(RateLimitHeaders headers) {
    this.headers = headers;
  }

  @Override
  public int getOrder() {
    return Ordered.LOWEST_PRECEDENCE;
  }

  @Override
  public @Nullable ModelAndView resolveException(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable Object handler,
      Exception failure) {
    return RateLimitProblem.of(failure)
        .map(problem -> answer(problem, failure, response))
        .orElse(null);
  }

  private ModelAndView answer(Problem problem, Exception failure, HttpServletResponse response) {
    RateLimitProblem.headers(failure, headers, response::setHeader);
    byte[] body = problem.json();
    response.setStatus(problem.status());
    response.setContentType(Problem.MEDIA_TYPE);
    response.setContentLength(body.length);
    try {
      response.getOutputStream().write(body);
    } catch (IOException clientLeft) {
      throw new UncheckedIOException(clientLeft);
    }
    return new ModelAndView();
  }
}

package dev.sluice.http;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import dev.sluice.http.LimitRule.RuleCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Puts rules and limiters together: finds the rule of a request, its keys, and asks. What every
 * edge does between its framework's request and its framework's response. Safe for use by many
 * threads.
 */
public final class RequestLimiter {
  private final Sluice sluice;
  private final LimitRules rules;

  /**
   * A limiter of requests.
   *
   * @throws IllegalArgumentException if a rule names a policy that {@code sluice} does not have
   */
  public RequestLimiter(Sluice sluice, LimitRules rules) {
    this.sluice = sluice;
    this.rules = rules;
    for (LimitRule rule : rules.rules()) {
      for (RuleCheck check : rule.checks()) {
        if (sluice.limiter(check.policy()).isEmpty()) {
          throw new IllegalArgumentException(
              "rule '%s': unknown policy '%s'".formatted(rule, check.policy()));
        }
      }
    }
  }

  /**
   * Decides a request: 400 where a key is missing and its check demands one, before anything is
   * charged; 429 where a limit denies; 503 where the store failed and the policy denies then.
   */
  public Verdict check(HttpRequestView request) {
    Asked asked = ask(request);
    if (asked.checks.isEmpty()) {
      return asked.otherwise;
    }
    try {
      return Verdict.of(
          asked.checks.size() == 1
              ? List.of(single(asked).tryAcquire(asked.first().key(), asked.first().cost()))
              : sluice.tryAcquireTogether(asked.checks));
    } catch (StoreUnavailableException outOfReach) {
      return Verdict.refused(Problem.storeUnavailable());
    }
  }

  /** As {@link #check}, without blocking. */
  public CompletableFuture<Verdict> checkAsync(HttpRequestView request) {
    Asked asked = ask(request);
    if (asked.checks.isEmpty()) {
      return CompletableFuture.completedFuture(asked.otherwise);
    }
    CompletableFuture<List<Decision>> decided =
        asked.checks.size() == 1
            ? single(asked)
                .tryAcquireAsync(asked.first().key(), asked.first().cost())
                .thenApply(List::of)
            : sluice.tryAcquireTogetherAsync(asked.checks);
    return decided.thenApply(Verdict::of).exceptionally(RequestLimiter::refuseIfOutOfReach);
  }

  private static Verdict refuseIfOutOfReach(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof StoreUnavailableException) {
      return Verdict.refused(Problem.storeUnavailable());
    }
    throw new CompletionException(cause);
  }

  /**
   * Releases the concurrency permits of a request that has been answered, without blocking; safe to
   * repeat.
   */
  public void release(Verdict verdict) {
    for (Decision decision : verdict.decisions()) {
      decision.lease().ifPresent(this::release);
    }
  }

  private void release(String lease) {
    // Where the store is out of reach listeners have been told, and the lease ends by itself.
    CompletableFuture<Boolean> unused =
        sluice.releaseAsync(lease).exceptionally(outOfReach -> false);
  }

  /** Gives everything back for a request that left before its turn came. */
  public void giveBack(Verdict verdict) {
    for (Decision decision : verdict.decisions()) {
      sluice.limiter(decision.policy()).ifPresent(limiter -> limiter.giveBack(decision));
    }
  }

  /** Either checks to make, or what to say without any. */
  private record Asked(List<Check> checks, Verdict otherwise) {
    Check first() {
      return checks.get(0);
    }
  }

  private RateLimiter single(Asked asked) {
    String policy = asked.first().policy();
    return sluice
        .limiter(policy)
        .orElseThrow(() -> new IllegalArgumentException("unknown policy '%s'".formatted(policy)));
  }

  private Asked ask(HttpRequestView request) {
    List<Check> checks = new ArrayList<>();
    for (LimitRule rule : rules.matching(request)) {
      HttpRequestView routed =
          request.route().isPresent() ? request : new RoutedView(request, rule.pattern());
      List<Check> ofOthers = List.copyOf(checks);
      for (RuleCheck check : rule.checks()) {
        Optional<String> key = key(check, routed);
        if (key.isEmpty() && check.onMissing() == MissingKey.DENY) {
          return new Asked(
              List.of(),
              Verdict.refused(
                  Problem.badRequest("this request does not say who it is, as its limit demands")));
        }
        key.map(found -> new Check(check.policy(), found, check.cost()))
            .filter(asked -> !ofOthers.contains(asked))
            .ifPresent(checks::add);
      }
    }
    return new Asked(checks, Verdict.unchecked());
  }

  private static Optional<String> key(RuleCheck check, HttpRequestView request) {
    Optional<String> key = check.key().of(request);
    return key.isEmpty() && check.onMissing() == MissingKey.ANONYMOUS
        ? Optional.of(MissingKey.ANONYMOUS_KEY)
        : key;
  }

  /** A request of a framework without routes: the rule's own pattern is its template. */
  private record RoutedView(HttpRequestView request, String pattern) implements HttpRequestView {
    @Override
    public String method() {
      return request.method();
    }

    @Override
    public String path() {
      return request.path();
    }

    @Override
    public Optional<String> mappedPath() {
      return request.mappedPath();
    }

    @Override
    public Optional<String> route() {
      return Optional.of(pattern);
    }

    @Override
    public List<String> headers(String name) {
      return request.headers(name);
    }

    @Override
    public Optional<String> remoteAddress() {
      return request.remoteAddress();
    }

    @Override
    public Optional<String> principal() {
      return request.principal();
    }

    @Override
    public Optional<String> claim(String name) {
      return request.claim(name);
    }
  }
}

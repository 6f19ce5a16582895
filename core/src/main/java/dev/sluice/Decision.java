package dev.sluice;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a request. Immutable.
 *
 * <p>The top-level figures are those of the <em>binding</em> limit: on denial the one with the
 * longest wait, otherwise the one with the smallest share left. An unlimited key, and a policy that
 * allows while its store is out, have no limits in their answer.
 */
public final class Decision {
  /** In place of a retry time: the cost can never pass. */
  public static final long NEVER = Long.MAX_VALUE;

  private static final int ALLOWED = 1;
  private static final int DEGRADED = 2;
  private static final int SHADOW = 4;
  private static final int FORCED = 8;
  // The figures are a bucket's own, to be brought into permits and microseconds when asked for.
  private static final int RAW = 16;

  // Few references: with more, the constructor's barriers outgrow what the compiler inlines, and
  // then no answer can be left unallocated.
  private final Terms terms;
  private final String key;
  private final int flags;
  private final long cost;
  private final long remaining;
  private final long retryAfterMicros;
  private final long resetAfterMicros;
  private final long passesAtMicros;

  /** What is the same in all answers of a plan with one limit, or rare. */
  record Terms(
      String policy,
      @Nullable Limit binding,
      long waitMicros,
      @Nullable String lease,
      @Nullable List<LimitDecision> limits) {}

  private Decision(
      Terms terms,
      String key,
      int flags,
      long cost,
      long remaining,
      long retryAfterMicros,
      long resetAfterMicros,
      long passesAtMicros) {
    this.terms = terms;
    this.key = key;
    this.flags = flags;
    this.cost = cost;
    this.remaining = remaining;
    this.retryAfterMicros = retryAfterMicros;
    this.resetAfterMicros = resetAfterMicros;
    this.passesAtMicros = passesAtMicros;
  }

  /** The answer of a plan with one limit. */
  public static Decision ofOne(
      Plan plan,
      String key,
      long cost,
      boolean allowed,
      long remaining,
      long retryAfterMicros,
      long resetAfterMicros,
      long passesAtMicros) {
    return new Decision(
        plan.terms(),
        key,
        allowed ? ALLOWED : 0,
        cost,
        remaining,
        retryAfterMicros,
        resetAfterMicros,
        passesAtMicros);
  }

  /**
   * The answer of a plan with one token bucket. What the figures mean is worked out when somebody
   * asks: mostly nobody does. All but {@code now} are in units of which p make a token and n pass
   * in a microsecond, where n tokens come back in p microseconds.
   *
   * @param debt what is missing to a full bucket, before this request
   * @param after what is missing to a full bucket if the request was allowed
   */
  public static Decision ofBucket(
      Plan plan, String key, long cost, boolean allowed, long debt, long after, long now) {
    // Both before the answer is made: a branch in between costs it the barriers of an old object,
    // 350 bytes of code with which a decision is inlined into some callers and not into others.
    Terms terms = plan.terms();
    int flags = allowed ? RAW | ALLOWED : RAW;
    return new Decision(terms, key, flags, cost, debt, 0, after, now);
  }

  /** The answer of a plan, from what each of its limits said. Finds the binding limit. */
  public static Decision of(
      Request request,
      boolean allowed,
      LimitDecision[] limits,
      long waitMicros,
      long passesAtMicros,
      boolean forced) {
    LimitDecision binding = LimitDecision.binding(limits, allowed);
    boolean holds = allowed && request.takes();
    String lease = holds ? request.id() : null;
    return new Decision(
        new Terms(request.plan().policy(), binding.limit(), waitMicros, lease, List.of(limits)),
        request.key(),
        (allowed ? ALLOWED : 0) | (forced ? FORCED : 0),
        request.cost(),
        binding.remaining(),
        allowed ? 0 : binding.retryAfterMicros(),
        binding.resetAfterMicros(),
        passesAtMicros);
  }

  /**
   * The answer to a cost that can never pass these limits; an empty list for a refused key.
   *
   * @param seen what the limits say of the key otherwise; null where nobody knows
   */
  static Decision impossible(
      String policy, String key, long cost, List<Limit> limits, @Nullable Decision seen) {
    LimitDecision[] each = new LimitDecision[limits.size()];
    LimitDecision binding = null;
    for (int i = 0; i < each.length; i++) {
      Limit limit = limits.get(i);
      boolean fits = limit.canPass(cost);
      long left = seen == null ? limit.capacity() : seen.limits().get(i).remaining();
      long reset = seen == null ? 0 : seen.limits().get(i).resetAfterMicros();
      each[i] = new LimitDecision(limit, fits, left, fits ? 0 : NEVER, reset);
      binding = binding == null && !fits ? each[i] : binding;
    }
    return new Decision(
        new Terms(policy, binding == null ? null : binding.limit(), 0, null, List.of(each)),
        key,
        0,
        cost,
        binding == null ? 0 : binding.remaining(),
        NEVER,
        binding == null ? 0 : binding.resetAfterMicros(),
        0);
  }

  /** The answer for a key without limits. */
  static Decision unlimited(String policy, String key, long cost) {
    return new Decision(new Terms(policy, null, 0, null, null), key, ALLOWED, cost, 0, 0, 0, 0);
  }

  /**
   * The answer to a request of which the store said nothing, where another that was asked together
   * with it was denied. It stops nobody, and is degraded.
   */
  public static Decision unknown(Request request) {
    return unlimited(request.plan().policy(), request.key(), request.cost()).degraded(true);
  }

  private Decision with(Terms newTerms, String newKey, int newFlags, long newRetryAfter) {
    return new Decision(
        newTerms,
        newKey,
        newFlags & ~RAW,
        cost,
        remaining(),
        newRetryAfter,
        resetAfterMicros(),
        passesAtMicros);
  }

  Decision degraded(boolean degraded) {
    return degraded ? with(terms, key, flags | DEGRADED, retryAfterMicros()) : this;
  }

  /** A denial of a shadow policy: it passes, and says that it would not have. */
  Decision letThrough() {
    Terms kept = new Terms(terms.policy, terms.binding, terms.waitMicros, terms.lease, limits());
    return with(kept, key, flags | ALLOWED | SHADOW, 0);
  }

  Decision withLease(@Nullable String lease) {
    Terms named = new Terms(terms.policy, terms.binding, terms.waitMicros, lease, terms.limits);
    return with(named, key, flags, retryAfterMicros());
  }

  /** The same answer for the key as the caller wrote it. */
  Decision forKey(String original) {
    return with(terms, original, flags, retryAfterMicros());
  }

  /**
   * The same denial some time later, when it is nearer to its end.
   *
   * @param leastRetryMicros the retry time is at least this, from 1
   */
  public Decision later(long elapsedMicros, long leastRetryMicros) {
    Terms later = terms;
    if (terms.limits != null) {
      LimitDecision[] each =
          terms.limits.stream()
              .map(
                  l ->
                      l.later(
                          elapsedMicros,
                          l.retryAfterMicros() == retryAfterMicros() ? leastRetryMicros : 0))
              .toArray(LimitDecision[]::new);
      later = new Terms(terms.policy, terms.binding, 0, null, List.of(each));
    }
    return new Decision(
        later,
        key,
        flags & ~RAW,
        cost,
        remaining(),
        Math.max(retryAfterMicros() - elapsedMicros, leastRetryMicros),
        Math.max(0, resetAfterMicros() - elapsedMicros),
        passesAtMicros + elapsedMicros);
  }

  /** Whether the request may pass, after {@link #waitTime} where that is not zero. */
  public boolean allowed() {
    return (flags & ALLOWED) != 0;
  }

  /** The policy's name. */
  public String policy() {
    return terms.policy;
  }

  /** Who asked. */
  public String key() {
    return key;
  }

  /** Permits that were asked for. */
  public long cost() {
    return cost;
  }

  /** The limit that decides the top-level figures; empty where there are no limits. */
  public Optional<Limit> binding() {
    return Optional.ofNullable(terms.binding);
  }

  /** Permits of the binding limit that are left after this decision. */
  public long remaining() {
    return (flags & RAW) == 0 ? remaining : tokensLeft();
  }

  private long tokensLeft() {
    Limit bucket = Objects.requireNonNull(terms.binding);
    long debt = remaining;
    long left = bucket.capacity() - Math.floorDiv(debt - 1, bucket.cycleMicros()) - 1;
    return Math.max(0, allowed() ? left - cost : left);
  }

  private long micros(long units) {
    long each = Objects.requireNonNull(terms.binding).cyclePermits();
    return -Math.floorDiv(-units, each);
  }

  /**
   * How long until the same request would pass: zero when it was allowed, {@link
   * ChronoUnit#FOREVER} where it never can ({@link #neverPasses}).
   */
  public Duration retryAfter() {
    return neverPasses()
        ? ChronoUnit.FOREVER.getDuration()
        : Duration.of(retryAfterMicros(), ChronoUnit.MICROS);
  }

  /** As {@link #retryAfter}, in microseconds, {@link #NEVER} where it never passes. */
  public long retryAfterMicros() {
    return (flags & RAW) == 0 || allowed() ? retryAfterMicros : micros(beyondTheBucket());
  }

  private long beyondTheBucket() {
    Limit bucket = Objects.requireNonNull(terms.binding);
    long debt = remaining;
    return debt - (bucket.capacity() - cost) * bucket.cycleMicros();
  }

  /** How long until the binding limit knows nothing of the key any more. */
  public Duration resetAfter() {
    return Duration.of(resetAfterMicros(), ChronoUnit.MICROS);
  }

  /** As {@link #resetAfter}, in microseconds. */
  public long resetAfterMicros() {
    return (flags & RAW) == 0 ? resetAfterMicros : micros(allowed() ? resetAfterMicros : remaining);
  }

  /** How long an allowed request must wait for its turn before it passes. */
  public Duration waitTime() {
    return Duration.of(terms.waitMicros, ChronoUnit.MICROS);
  }

  /** As {@link #waitTime}, in microseconds. */
  public long waitMicros() {
    return terms.waitMicros;
  }

  /**
   * The instant of the store's clock at which an allowed request passes, in microseconds since the
   * epoch: when it was decided, plus {@link #waitTime}. Zero where no store decided.
   */
  public long passesAtMicros() {
    return passesAtMicros;
  }

  /** Whether the cost is above what the limits can ever give, or the key is refused for good. */
  public boolean neverPasses() {
    return (flags & RAW) == 0 && retryAfterMicros == NEVER;
  }

  /** Whether the store did not decide this. */
  public boolean degraded() {
    return (flags & DEGRADED) != 0;
  }

  /** Whether a shadow policy let through what it would have denied. */
  public boolean shadow() {
    return (flags & SHADOW) != 0;
  }

  /** Whether a forced request took more than there was. */
  public boolean forced() {
    return (flags & FORCED) != 0;
  }

  /** Names the held permits of a concurrency limit, for {@link Sluice#release}. */
  public Optional<String> lease() {
    return Optional.ofNullable(terms.lease);
  }

  /** What each limit said, in the policy's order. */
  public List<LimitDecision> limits() {
    if (terms.limits != null) {
      return terms.limits;
    }
    Limit binding = terms.binding;
    return binding == null
        ? List.of()
        : List.of(
            new LimitDecision(
                binding,
                retryAfterMicros() == 0,
                remaining(),
                retryAfterMicros(),
                resetAfterMicros()));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Decision that
        && terms.policy.equals(that.terms.policy)
        && key.equals(that.key)
        && cost == that.cost
        && ((flags ^ that.flags) & ~RAW) == 0
        && terms.waitMicros == that.terms.waitMicros
        && retryAfterMicros() == that.retryAfterMicros()
        && binding().equals(that.binding())
        && limits().equals(that.limits());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(
        new Object[] {terms.policy, key, cost, flags & ~RAW, remaining(), retryAfterMicros()});
  }

  /** One line for logs, such as {@code api 'user:42' denied by burst, 0 of 20 left, retry in …}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(terms.policy + " '" + key + "' ");
    text.append(allowed() ? "allowed" : "denied");
    Limit limit = terms.binding;
    if (limit != null) {
      text.append(" by ").append(limit.name()).append(", ").append(remaining());
      text.append(" of ").append(limit.capacity()).append(" left");
    }
    if (neverPasses()) {
      text.append(", never passes");
    } else if (retryAfterMicros() > 0) {
      text.append(", retry in ").append(retryAfter());
    }
    if (terms.waitMicros > 0) {
      text.append(", wait ").append(waitTime());
    }
    return text.append(degraded() ? ", degraded" : "")
        .append(shadow() ? ", shadow" : "")
        .append(forced() ? ", forced" : "")
        .toString();
  }
}

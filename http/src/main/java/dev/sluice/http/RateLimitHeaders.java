package dev.sluice.http;

import dev.sluice.Algorithm;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.http.field.FieldText;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Writes decisions as response headers, and reads those of others. Immutable, safe for use by many
 * threads.
 *
 * <p>All dialects share these rules: times are whole seconds, rounded up, so that a client which
 * waits as told is not denied again; a decision without limits (an unlimited key, a store that was
 * out under {@code allow}) has no rate limit headers; {@code Retry-After} stands on denials only,
 * is at least 1, and is absent where the request can never pass. {@code t} of {@code RateLimit} is
 * {@code Retry-After} when denied, else the time until the key is as if never seen. {@code q} is
 * the capacity and {@code w} the time in which it comes back; a concurrency limit has no {@code w},
 * because its permits come back when they are released.
 */
public final class RateLimitHeaders {
  private static final Duration LONGEST_JITTER = Duration.ofDays(1);

  private final Set<Dialect> dialects;
  private final Duration jitter;
  private final InstantSource clock;

  private RateLimitHeaders(Set<Dialect> dialects, Duration jitter, InstantSource clock) {
    this.dialects = dialects;
    this.jitter = jitter;
    this.clock = clock;
  }

  /**
   * The dialects that are written unless something else is asked for: {@code ietf} and {@code x}.
   */
  public static RateLimitHeaders standard() {
    return of(Dialect.IETF, Dialect.X);
  }

  /**
   * Writes these dialects, side by side.
   *
   * @throws IllegalArgumentException if two of them contradict each other
   */
  public static RateLimitHeaders of(Dialect... dialects) {
    for (Dialect one : dialects) {
      for (Dialect other : dialects) {
        if (one.contradicts(other)) {
          throw new IllegalArgumentException(
              "dialects '%s' and '%s': cannot be written side by side".formatted(one, other));
        }
      }
    }
    if (dialects.length == 0) {
      throw new IllegalArgumentException("dialects must not be empty; use none to write none");
    }
    Set<Dialect> ordered = new LinkedHashSet<>(List.of(dialects));
    return new RateLimitHeaders(ordered, Duration.ZERO, InstantSource.system());
  }

  /**
   * Adds a random time from zero to {@code most} to {@code Retry-After} and {@code t} of denials,
   * so that clients who were denied together do not come back together. None by default.
   */
  public RateLimitHeaders jitter(Duration most) {
    if (most.isNegative() || most.compareTo(LONGEST_JITTER) > 0) {
      throw new IllegalArgumentException("jitter must be from 0 to 1 day, got " + most);
    }
    return new RateLimitHeaders(dialects, most, clock);
  }

  /** The clock that {@link Dialect#GITHUB} counts from; the system's by default. */
  public RateLimitHeaders clock(InstantSource source) {
    return new RateLimitHeaders(dialects, jitter, source);
  }

  /** Hands every header of a decision to {@code header}, as name and value. */
  public void write(Decision decision, BiConsumer<String, String> header) {
    OptionalLong retryAfter = retryAfterSeconds(decision);
    decision
        .binding()
        .ifPresent(
            binding -> {
              for (Dialect dialect : dialects) {
                write(dialect, decision, binding, retryAfter, header);
              }
            });
    if (retryAfter.isPresent()) {
      header.accept("Retry-After", Long.toString(retryAfter.getAsLong()));
    }
  }

  /** As {@link #write(Decision, BiConsumer)}, for the one that binds of checks decided together. */
  public void write(List<Decision> decisions, BiConsumer<String, String> header) {
    write(Verdict.binding(decisions), header);
  }

  private void write(
      Dialect dialect,
      Decision decision,
      Limit binding,
      OptionalLong retryAfter,
      BiConsumer<String, String> header) {
    String capacity = Long.toString(binding.capacity());
    String remaining = Long.toString(decision.remaining());
    long reset = ceilSeconds(decision.resetAfterMicros());
    switch (dialect) {
      case IETF -> {
        header.accept("RateLimit-Policy", each(decision, RateLimitHeaders::policyItem));
        header.accept("RateLimit", limitItem(decision, binding, retryAfter));
      }
      case IETF_06 -> {
        header.accept("RateLimit-Policy", each(decision, RateLimitHeaders::oldPolicyItem));
        header.accept("RateLimit-Limit", capacity);
        header.accept("RateLimit-Remaining", remaining);
        header.accept("RateLimit-Reset", Long.toString(retryAfter.orElse(reset)));
      }
      case IETF_07 -> {
        header.accept("RateLimit-Policy", each(decision, RateLimitHeaders::oldPolicyItem));
        header.accept(
            "RateLimit",
            // Not %d, of which some locales make digits of their own.
            "limit=%s, remaining=%s, reset=%s"
                .formatted(capacity, remaining, retryAfter.orElse(reset)));
      }
      case X -> {
        header.accept("X-RateLimit-Limit", capacity);
        header.accept("X-RateLimit-Remaining", remaining);
        header.accept("X-RateLimit-Reset", Long.toString(reset));
      }
      case GITHUB -> {
        Instant at = clock.instant().plus(decision.resetAfter());
        long epoch = at.getNano() == 0 ? at.getEpochSecond() : at.getEpochSecond() + 1;
        header.accept("X-RateLimit-Limit", capacity);
        header.accept("X-RateLimit-Remaining", remaining);
        header.accept(
            "X-RateLimit-Used",
            Long.toString(Math.max(0, binding.capacity() - decision.remaining())));
        header.accept("X-RateLimit-Reset", Long.toString(epoch));
        header.accept("X-RateLimit-Resource", FieldText.ascii(decision.policy()));
      }
      case NONE -> {}
    }
  }

  private static String each(Decision decision, Function<Limit, String> item) {
    return decision.limits().stream()
        .map(LimitDecision::limit)
        .map(item)
        .collect(Collectors.joining(", "));
  }

  private static String policyItem(Limit limit) {
    String named = FieldText.quoted(limit.name()) + ";q=" + limit.capacity();
    return limit.algorithm() == Algorithm.CONCURRENCY
        ? named + ";qu=\"concurrent-requests\""
        : named + ";w=" + windowSeconds(limit);
  }

  private static String oldPolicyItem(Limit limit) {
    return limit.algorithm() == Algorithm.CONCURRENCY
        ? Long.toString(limit.capacity())
        : limit.capacity() + ";w=" + windowSeconds(limit);
  }

  private static String limitItem(Decision decision, Limit binding, OptionalLong retryAfter) {
    String named = FieldText.quoted(binding.name()) + ";r=" + decision.remaining();
    if (decision.neverPasses()) {
      return named;
    }
    return named + ";t=" + retryAfter.orElse(ceilSeconds(decision.resetAfterMicros()));
  }

  private OptionalLong retryAfterSeconds(Decision decision) {
    if (decision.allowed() || decision.neverPasses()) {
      return OptionalLong.empty();
    }
    long added =
        jitter.isZero() ? 0 : ThreadLocalRandom.current().nextLong(jitter.toNanos() / 1_000 + 1);
    return OptionalLong.of(Math.max(1, ceilSeconds(decision.retryAfterMicros() + added)));
  }

  private static long windowSeconds(Limit limit) {
    return Math.max(1, ceilSeconds(limit.shownWindowMicros()));
  }

  private static long ceilSeconds(long micros) {
    return -Math.floorDiv(-micros, 1_000_000);
  }

  /**
   * Reads what a response says about its limits, in any dialect, and {@code Retry-After}. What
   * cannot be read is taken as not said: a provider's broken header never breaks its client.
   *
   * @param headers all lines of a header by its name, which must be found in any case; empty where
   *     there is none
   * @param now the client's time, for resets that are given as a date
   */
  public static ReceivedLimits parse(Function<String, List<String>> headers, Instant now) {
    return new HeaderReader(headers, now).read();
  }

  @Override
  public String toString() {
    return "RateLimitHeaders" + dialects;
  }
}

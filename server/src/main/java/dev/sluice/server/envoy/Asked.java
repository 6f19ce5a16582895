package dev.sluice.server.envoy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.PolicyCheck;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One descriptor of a request, from its rule to its answer. Used by one thread after another. */
final class Asked {
  private static final long MICROS = 1_000_000;

  private final @Nullable Match match;
  private final long hits;
  private final boolean negative;
  private @Nullable Decision decision;

  Asked(@Nullable Match match, long hits, boolean negative) {
    this.match = match;
    this.hits = hits;
    this.negative = negative;
  }

  /** Whether there is a limit to ask. */
  boolean isLimited() {
    return match != null && match.rule().kind() == Rule.Kind.LIMITED;
  }

  boolean isQuota() {
    return match != null
        && !negative
        && match.rule().quota()
        && match.rule().kind() != Rule.Kind.UNLIMITED;
  }

  /** Whether it only looks: nothing is taken. */
  boolean isLook() {
    return hits == 0;
  }

  /** Whether it gives hits back that were taken before. */
  boolean isRefund() {
    return negative && hits != 0;
  }

  Policy policy() {
    return Objects.requireNonNull(Objects.requireNonNull(match).rule().policy());
  }

  String key() {
    return Objects.requireNonNull(match).key();
  }

  long cost() {
    return Math.min(Math.max(1, hits), Limit.MOST_PERMITS);
  }

  PolicyCheck check() {
    return new PolicyCheck(policy(), key(), cost());
  }

  Decision decided(Decision answer) {
    this.decision = answer;
    return answer;
  }

  boolean isDecided() {
    return decision != null;
  }

  /** Whether it is over its limit. Where nothing has been decided, or nothing asked, it is not. */
  boolean isOver() {
    if (match == null || negative || match.rule().shadow()) {
      return false;
    }
    if (match.rule().kind() == Rule.Kind.CLOSED) {
      return true;
    }
    return decision != null && !decision.allowed();
  }

  @Nullable Match match() {
    return match;
  }

  DescriptorStatus status() {
    DescriptorStatus.Builder status =
        DescriptorStatus.newBuilder().setCode(isOver() ? Code.OVER_LIMIT : Code.OK);
    if (match == null) {
      return status.build();
    }
    if (match.rule().kind() == Rule.Kind.UNLIMITED) {
      return status.setLimitRemaining((int) Limits.MOST_REQUESTS).build();
    }
    status.setCurrentLimit(match.rule().shown());
    Decision answer = decision;
    if (answer != null && answer.binding().isPresent()) {
      status.setLimitRemaining((int) Math.min(answer.remaining(), Limits.MOST_REQUESTS));
      long reset = answer.resetAfterMicros();
      status
          .getDurationUntilResetBuilder()
          .setSeconds(reset / MICROS)
          .setNanos((int) (reset % MICROS * 1_000));
    }
    return status.build();
  }
}

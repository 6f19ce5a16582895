package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import com.google.protobuf.UInt32Value;
import dev.sluice.Limit;
import dev.sluice.Policy;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Limits in Envoy's units, and the policies that hold them. */
final class Limits {
  /** The most that an answer can tell. */
  static final long MOST_REQUESTS = 0xFFFF_FFFFL;

  /** As envoyproxy/ratelimit counts: windows on the epoch, so a week starts on Thursday. */
  private static final Map<Unit, Duration> UNITS =
      Map.of(
          Unit.SECOND, Duration.ofSeconds(1),
          Unit.MINUTE, Duration.ofMinutes(1),
          Unit.HOUR, Duration.ofHours(1),
          Unit.DAY, Duration.ofDays(1),
          Unit.WEEK, Duration.ofDays(7),
          Unit.MONTH, Duration.ofDays(30),
          Unit.YEAR, Duration.ofDays(365));

  private static final int LONGEST_DOMAIN = 100;
  private static final int MOST_OVERRIDES = 1024;

  private record Overriding(String domain, long requests, Unit unit, long units) {}

  private final EnvoyOptions options;
  private final Map<Overriding, Rule> overrides = new ConcurrentHashMap<>();

  Limits(EnvoyOptions options) {
    this.options = options;
  }

  static Optional<Duration> length(Unit unit) {
    return Optional.ofNullable(UNITS.get(unit));
  }

  /** The unit of that length, where there is one. */
  static Unit unit(Duration length) {
    return UNITS.entrySet().stream()
        .filter(unit -> unit.getValue().equals(length))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(Unit.UNKNOWN);
  }

  /** The policy of a limit; metrics show it by its domain, and the limit's name if it has one. */
  Policy policy(String domain, Limit limit, boolean shadow) {
    StringBuilder name = new StringBuilder("envoy:");
    domain
        .chars()
        .limit(LONGEST_DOMAIN)
        .forEach(c -> name.append(c > ' ' && c <= '~' && c != '/' ? (char) c : '?'));
    return Policy.named(name.toString())
        .limits(List.of(limit))
        .onStoreFailure(options.onStoreFailure())
        .deadline(options.storeDeadline())
        .shadow(shadow)
        .build();
  }

  /**
   * The rule that came with a descriptor.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  Rule override(String domain, RateLimitOverride given) {
    Unit unit = unit(given.getUnit());
    Duration per =
        length(unit)
            .orElseThrow(
                () -> new IllegalArgumentException("limit: unit must be known, got UNKNOWN"));
    long units =
        given.hasUnitMultiplier()
            ? Integer.toUnsignedLong(given.getUnitMultiplier().getValue())
            : 1;
    if (units == 0) {
      throw new IllegalArgumentException("limit: unit_multiplier must be at least 1, got 0");
    }
    long requests = Integer.toUnsignedLong(given.getRequestsPerUnit());
    if (overrides.size() >= MOST_OVERRIDES) {
      overrides.clear();
    }
    return overrides.computeIfAbsent(
        new Overriding(domain, requests, unit, units),
        asked -> override(asked, per.multipliedBy(units)));
  }

  private Rule override(Overriding asked, Duration per) {
    long requests = asked.requests;
    RateLimit.Builder shown =
        RateLimit.newBuilder().setRequestsPerUnit((int) requests).setUnit(asked.unit);
    if (asked.units > 1) {
      shown.setUnitMultiplier(UInt32Value.of((int) asked.units));
    }
    Rule.Kind kind = requests == 0 ? Rule.Kind.CLOSED : Rule.Kind.LIMITED;
    Policy policy =
        requests == 0 ? null : policy(asked.domain, Limit.fixedWindow(requests, per), false);
    return new Rule(
        kind, policy, shown.build(), "", Set.of(), false, false, Struct.getDefaultInstance());
  }

  private static Unit unit(RateLimitUnit unit) {
    return switch (unit) {
      case SECOND -> Unit.SECOND;
      case MINUTE -> Unit.MINUTE;
      case HOUR -> Unit.HOUR;
      case DAY -> Unit.DAY;
      case MONTH -> Unit.MONTH;
      case YEAR -> Unit.YEAR;
      case UNKNOWN, UNRECOGNIZED -> Unit.UNKNOWN;
    };
  }
}

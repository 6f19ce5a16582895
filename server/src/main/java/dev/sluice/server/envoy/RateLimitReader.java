package dev.sluice.server.envoy;

import dev.sluice.Algorithm;
import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import dev.sluice.server.config.ConfigNode;
import dev.sluice.server.config.Durations;
import dev.sluice.server.config.Members;
import dev.sluice.server.config.Problems;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code rate_limit}: envoyproxy/ratelimit's own words, and {@code algorithm}, {@code per}
 * and {@code burst}. Without these it is a fixed window on the epoch, as theirs.
 */
final class RateLimitReader {
  private static final Set<String> WORDS =
      Set.of(
          "unit",
          "requests_per_unit",
          "name",
          "replaces",
          "unlimited",
          "algorithm",
          "per",
          "burst");

  private final Members members;
  private final int line;
  private final RateLimit.Builder shown = RateLimit.newBuilder();
  private final Set<String> replaces = new HashSet<>();
  private String name = "";
  private boolean unlimited;
  private long requests;
  private String algorithm = Algorithm.FIXED_WINDOW.id();
  private @Nullable Duration per;
  private @Nullable CalendarUnit calendar;
  private @Nullable Long burst;

  RateLimitReader(String subject, ConfigNode.Mapping mapping, Problems problems) {
    this.members = new Members(subject, mapping, problems);
    this.line = mapping.line();
  }

  /** Reads all members; what is wrong is told. */
  void read() {
    members.only(WORDS);
    members.flag("unlimited", given -> unlimited = given);
    members.text("name", given -> name = given);
    members.number("requests_per_unit", this::requests);
    members.text("unit", this::unit);
    members.text("per", this::per);
    members.text("algorithm", this::algorithm);
    members.number("burst", given -> burst = given);
    readReplaces();
    if (unlimited && (members.has("unit") || members.has("per"))) {
      members.tell(line, "unlimited must have neither unit nor per");
    }
    if (!unlimited && members.has("unit") == members.has("per")) {
      members.tell(line, "must have either unit or per");
    }
    if (!unlimited && !members.has("requests_per_unit")) {
      members.tell(line, "must have requests_per_unit; 0 denies always");
    }
    shown.setRequestsPerUnit((int) requests).setName(name);
  }

  private void requests(long given) {
    if (given < 0 || given > Limits.MOST_REQUESTS) {
      throw new IllegalArgumentException(
          "must be from 0 to %d, got %d".formatted(Limits.MOST_REQUESTS, given));
    }
    requests = given;
  }

  private void unit(String given) {
    Optional<Unit> unit =
        Arrays.stream(Unit.values())
            .filter(u -> u.name().equals(given.toUpperCase(Locale.ROOT)))
            .filter(u -> Limits.length(u).isPresent())
            .findFirst();
    if (unit.isEmpty()) {
      throw new IllegalArgumentException(
          "must be second, minute, hour, day, week, month or year, got '%s'".formatted(given));
    }
    shown.setUnit(unit.get());
    per = Limits.length(unit.get()).orElseThrow();
  }

  private void per(String given) {
    calendar =
        Arrays.stream(CalendarUnit.values())
            .filter(unit -> unit.id().equals(given))
            .findFirst()
            .orElse(null);
    per = calendar == null ? Durations.parse(given) : calendar.longest();
    shown.setUnit(calendar == null ? Limits.unit(per) : Unit.valueOf(calendar.name()));
  }

  private void algorithm(String given) {
    if (Algorithm.of(given) == Algorithm.CONCURRENCY) {
      throw new IllegalArgumentException(
          "must not be concurrency: Envoy never says that a request has ended");
    }
    algorithm = given;
  }

  private void readReplaces() {
    ConfigNode.Member given = members.get("replaces");
    if (given == null) {
      return;
    }
    if (!(given.value() instanceof ConfigNode.Sequence sequence)) {
      members.tell(given.line(), "replaces must be a list, got %s".formatted(given.value()));
      return;
    }
    for (ConfigNode item : sequence.items()) {
      if (item instanceof ConfigNode.Mapping mapping
          && mapping.members().keySet().equals(Set.of("name"))
          && mapping.members().values().iterator().next().value() instanceof ConfigNode.Scalar text
          && !text.text().isEmpty()
          && !text.text().equals(name)) {
        replaces.add(text.text());
      } else {
        members.tell(item.line(), "replaces must hold names of other rules, as {name: other}");
      }
    }
  }

  Rule.Kind kind() {
    return unlimited ? Rule.Kind.UNLIMITED : requests == 0 ? Rule.Kind.CLOSED : Rule.Kind.LIMITED;
  }

  RateLimit shown() {
    return shown.build();
  }

  String name() {
    return name;
  }

  Set<String> replaces() {
    return Set.copyOf(replaces);
  }

  /** The limit; null if a member that it needs was wrong. */
  @Nullable Limit limit() {
    Duration period = per;
    if (period == null || requests == 0) {
      return null;
    }
    Limit limit = made(period);
    Long given = burst;
    if (given != null) {
      limit = limit.burst(given);
    }
    // Only a name that a limit can have shows in metrics.
    return name.matches("[!-~]{1,64}") ? limit.name(name) : limit;
  }

  private Limit made(Duration period) {
    CalendarUnit unit = calendar;
    if (unit != null) {
      if (Algorithm.of(algorithm) != Algorithm.FIXED_WINDOW || algorithm.equals("counter")) {
        throw new IllegalArgumentException(
            "per: %s is for fixed-window, not for %s".formatted(unit.id(), algorithm));
      }
      return Limit.calendarWindow(requests, unit, ZoneOffset.UTC);
    }
    return switch (Algorithm.of(algorithm)) {
      case TOKEN_BUCKET -> Limit.tokenBucket(requests, period);
      case FIXED_WINDOW ->
          algorithm.equals("counter")
              ? Limit.counter(requests, period)
              : Limit.fixedWindow(requests, period);
      case SLIDING_LOG -> Limit.slidingLog(requests, period);
      case SLIDING_WINDOW -> Limit.slidingWindow(requests, period);
      case LEAKY_BUCKET -> Limit.leakyBucket(requests, period);
      case CONCURRENCY -> throw new IllegalStateException("refused when it was read");
    };
  }
}

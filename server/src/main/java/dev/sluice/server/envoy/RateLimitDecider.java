package dev.sluice.server.envoy;

import dev.sluice.Sluice;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Answers {@code ShouldRateLimit}: finds the rule of each descriptor, and has them decided. */
final class RateLimitDecider {
  private static final int MOST_DESCRIPTORS = 100;

  private final Sluice sluice;
  private final Supplier<EnvoyRules> rules;

  RateLimitDecider(Sluice sluice, Supplier<EnvoyRules> rules) {
    this.sluice = sluice;
    this.rules = rules;
  }

  /**
   * Decides a request.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  CompletableFuture<RateLimitResponse> decide(RateLimitRequest request) {
    if (request.getDomain().isEmpty()) {
      throw new IllegalArgumentException("domain must not be empty");
    }
    int count = request.getDescriptorsCount();
    if (count == 0 || count > MOST_DESCRIPTORS) {
      throw new IllegalArgumentException(
          "descriptors must be from 1 to %d, got %d".formatted(MOST_DESCRIPTORS, count));
    }
    EnvoyRules inForce = rules.get();
    List<Optional<Match>> matches = new ArrayList<>(count);
    Set<String> replaced = new HashSet<>();
    for (RateLimitDescriptor descriptor : request.getDescriptorsList()) {
      Optional<Match> match = inForce.match(request.getDomain(), descriptor);
      match.ifPresent(found -> replaced.addAll(found.rule().replaces()));
      matches.add(match);
    }
    List<Asked> asked = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      Match match =
          matches.get(i).filter(found -> !replaced.contains(found.rule().name())).orElse(null);
      RateLimitDescriptor descriptor = request.getDescriptors(i);
      asked.add(new Asked(match, hits(request, descriptor), descriptor.getIsNegativeHits()));
    }
    return new Deciding(sluice, asked).run();
  }

  /**
   * A descriptor's own number, where 0 means to look only; else the request's, where it means 1.
   */
  private static long hits(RateLimitRequest request, RateLimitDescriptor descriptor) {
    if (!descriptor.hasHitsAddend()) {
      return Math.max(1, Integer.toUnsignedLong(request.getHitsAddend()));
    }
    long hits = descriptor.getHitsAddend().getValue();
    // An unsigned number that does not fit is more than any limit has.
    return hits < 0 ? Long.MAX_VALUE : hits;
  }
}

package dev.sluice.server.envoy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry;
import java.util.Map;
import java.util.Optional;

/** The rules of all domains: a snapshot that is replaced as a whole. */
final class EnvoyRules {
  private final Map<String, Node> domains;
  private final Limits limits;

  EnvoyRules(Map<String, Node> domains, Limits limits) {
    this.domains = Map.copyOf(domains);
    this.limits = limits;
  }

  int size() {
    return domains.size();
  }

  /**
   * The rule of a descriptor, if it has one. A rule applies only to a descriptor that ends where
   * the rule stands. A limit that comes with the descriptor goes before all rules of its domain.
   */
  Optional<Match> match(String domain, RateLimitDescriptor descriptor) {
    Node node = domains.get(domain);
    if (node == null) {
      return Optional.empty();
    }
    CounterKey key = new CounterKey(domain);
    if (descriptor.hasLimit()) {
      descriptor.getEntriesList().forEach(entry -> key.entry(entry.getKey(), entry.getValue()));
      return Optional.of(new Match(limits.override(domain, descriptor.getLimit()), key.toString()));
    }
    for (Entry entry : descriptor.getEntriesList()) {
      Node next = node.next(entry.getKey(), entry.getValue()).orElse(null);
      if (next == null) {
        return Optional.empty();
      }
      next.write(entry.getKey(), entry.getValue(), key);
      node = next;
    }
    return node.rule().map(rule -> new Match(rule, key.toString()));
  }
}

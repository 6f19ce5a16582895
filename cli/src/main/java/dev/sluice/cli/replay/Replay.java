package dev.sluice.cli.replay;

import dev.sluice.Decision;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Puts entries of a log to policies as if each came at its own time: the clock of the store is the
 * log. Entries that are a little out of order count at the latest time seen.
 */
public final class Replay {
  private static final long MOST_KEYS = 5_000_000;

  private final AtomicLong now = new AtomicLong(Long.MIN_VALUE);
  private final Sluice sluice = Sluice.of(new InMemoryStore(now::get, MOST_KEYS));
  private final Map<String, Tally> tallies = new LinkedHashMap<>();

  /** A replay against these policies. */
  public Replay(Collection<Policy> policies) {
    sluice.policies(policies);
    policies.forEach(policy -> tallies.put(policy.name(), new Tally(policy.name())));
  }

  /** Decides one entry: by the policy that it names, or by all of them, each on its own. */
  public void add(LogEntry entry) {
    now.accumulateAndGet(entry.micros(), Math::max);
    if (entry.policy().isPresent()) {
      add(entry.policy().get(), entry);
    } else {
      tallies.keySet().forEach(policy -> add(policy, entry));
    }
  }

  private void add(String policy, LogEntry entry) {
    RateLimiter limiter =
        sluice
            .limiter(policy)
            .orElseThrow(
                () -> new IllegalArgumentException("unknown policy '%s'".formatted(policy)));
    Decision decision = limiter.tryAcquire(entry.key(), entry.cost());
    Objects.requireNonNull(tallies.get(policy)).add(decision);
  }

  /** What came out, policy by policy. */
  public List<Tally> tallies() {
    return List.copyOf(tallies.values());
  }
}

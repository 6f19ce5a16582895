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
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Puts entries of a log to policies as if each came at its own time: the clock of the store is the
 * log. Entries that are out of order count at the latest time seen; those that are so by more than
 * a minute are counted, since the result is then doubtful.
 */
public final class Replay {
  private static final long MOST_KEYS = 5_000_000;
  private static final long LATE_MICROS = 60_000_000;
  // Further back than any log, and yet a difference to it is no overflow.
  private static final long BEFORE_ALL = Long.MIN_VALUE / 2;

  private final AtomicLong now = new AtomicLong(BEFORE_ALL);
  private final Sluice sluice = Sluice.of(new InMemoryStore(now::get, MOST_KEYS));
  private final Map<String, Tally> tallies = new LinkedHashMap<>();
  private final Set<String> others;
  private long late;

  /**
   * A replay against these policies.
   *
   * @param others names of policies whose entries are left out
   */
  public Replay(Collection<Policy> policies, Set<String> others) {
    this.others = Set.copyOf(others);
    sluice.policies(policies);
    policies.forEach(policy -> tallies.put(policy.name(), new Tally(policy.name())));
  }

  /**
   * Decides one entry: by the policy that it names, or by all of them, each on its own.
   *
   * @throws IllegalArgumentException if it names a policy that is not known; the clock then stays
   */
  public void add(LogEntry entry) {
    String policy = entry.policy().orElse(null);
    if (policy == null) {
      pass(entry);
      tallies.keySet().forEach(each -> decide(each, entry));
    } else if (tallies.containsKey(policy)) {
      pass(entry);
      decide(policy, entry);
    } else if (!others.contains(policy)) {
      throw new IllegalArgumentException(
          "policy must be one of the policies file, got '%s'".formatted(policy));
    }
  }

  private void pass(LogEntry entry) {
    late += now.get() - entry.micros() > LATE_MICROS ? 1 : 0;
    now.accumulateAndGet(entry.micros(), Math::max);
  }

  private void decide(String policy, LogEntry entry) {
    RateLimiter limiter = sluice.limiter(policy).orElseThrow();
    Decision decision = limiter.tryAcquire(entry.key(), entry.cost());
    Objects.requireNonNull(tallies.get(policy)).add(decision);
  }

  /** What came out, policy by policy. */
  public List<Tally> tallies() {
    return List.copyOf(tallies.values());
  }

  /** How many entries were more than a minute older than one before them. */
  public long late() {
    return late;
  }
}

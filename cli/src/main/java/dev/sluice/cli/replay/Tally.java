package dev.sluice.cli.replay;

import dev.sluice.Decision;
import dev.sluice.Limit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a policy did with a log. */
public final class Tally {
  private final String policy;
  private final Set<String> keys = new HashSet<>();
  private final Map<String, Long> deniedKeys = new HashMap<>();
  private final Map<String, Long> deniedBy = new TreeMap<>();
  private long requests;
  private long admitted;
  private long delayed;
  private long longestWaitMicros;

  Tally(String policy) {
    this.policy = policy;
  }

  /** A shadow policy's denials count as denials here: they are what a replay is for. */
  void add(Decision decision) {
    requests++;
    keys.add(decision.key());
    if (decision.allowed() && !decision.shadow()) {
      admitted++;
      delayed += decision.waitMicros() > 0 ? 1 : 0;
      longestWaitMicros = Math.max(longestWaitMicros, decision.waitMicros());
    } else {
      deniedKeys.merge(decision.key(), 1L, Long::sum);
      deniedBy.merge(decision.binding().map(Limit::name).orElse("none"), 1L, Long::sum);
    }
  }

  /** The policy's name. */
  public String policy() {
    return policy;
  }

  /** How many requests it saw. */
  public long requests() {
    return requests;
  }

  /** How many it let pass. */
  public long admitted() {
    return admitted;
  }

  /** How many it refused. */
  public long denied() {
    return requests - admitted;
  }

  /** How many of those that passed had to wait. */
  public long delayed() {
    return delayed;
  }

  /** The longest of those waits, in milliseconds, rounded up. */
  public long longestWaitMillis() {
    return -Math.floorDiv(-longestWaitMicros, 1_000);
  }

  /** How many different keys it saw. */
  public long keys() {
    return keys.size();
  }

  /** How many of them it refused at least once. */
  public long limitedKeys() {
    return deniedKeys.size();
  }

  /** How often each limit was the one to refuse. */
  public Map<String, Long> deniedBy() {
    return Map.copyOf(deniedBy);
  }

  /** The keys that it refused most often. */
  public List<Map.Entry<String, Long>> top(int count) {
    return deniedKeys.entrySet().stream()
        .sorted(
            Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(count)
        .map(entry -> Map.entry(entry.getKey(), entry.getValue()))
        .toList();
  }
}

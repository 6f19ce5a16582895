package dev.sluice.spring.actuate;

import dev.sluice.Decision;
import dev.sluice.DecisionListener;
import dev.sluice.Policy;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Remembers the keys that were denied most, in bounded memory (Space-Saving, Metwally 2005): each
 * policy has a fixed number of places, and a new key takes over the place with the smallest count,
 * count included. A key with more denials than total / places is always there; counts are never too
 * low.
 */
public final class TopKeys implements DecisionListener {
  // More places than are shown: those at the end are the uncertain ones.
  private static final int PLACES_FOR_EACH_SHOWN = 5;
  private static final int LONGEST_KEY = 256;
  // Each new key looks at all places.
  private static final int MOST_SHOWN = 1_000;

  /** A key, and how often it was denied at most. */
  public record Denied(String key, long denied) {}

  private final int shown;
  private final Map<String, Places> policies = new ConcurrentHashMap<>();

  /**
   * Remembers this many keys of each policy.
   *
   * @throws IllegalArgumentException if that is not from 0 to 1000
   */
  public TopKeys(int shown) {
    if (shown < 0 || shown > MOST_SHOWN) {
      throw new IllegalArgumentException(
          "top keys must be from 0 to %d, got %d".formatted(MOST_SHOWN, shown));
    }
    this.shown = shown;
  }

  @Override
  public void decided(Policy policy, Decision decision, long nanos) {
    if (shown > 0 && (!decision.allowed() || decision.shadow())) {
      String key = decision.key();
      policies
          .computeIfAbsent(policy.name(), name -> new Places(shown * PLACES_FOR_EACH_SHOWN))
          .add(key.length() <= LONGEST_KEY ? key : key.substring(0, LONGEST_KEY) + "…");
    }
  }

  /** The most limited keys of a policy, the most denied first. */
  public List<Denied> of(String policy) {
    Places places = policies.get(policy);
    return places == null ? List.of() : places.top(shown);
  }

  private static final class Places {
    private final int most;
    private final Map<String, Long> counts = new HashMap<>();

    Places(int most) {
      this.most = most;
    }

    synchronized void add(String key) {
      if (counts.containsKey(key) || counts.size() < most) {
        counts.merge(key, 1L, Long::sum);
        return;
      }
      Map.Entry<String, Long> least =
          counts.entrySet().stream().min(Map.Entry.comparingByValue()).orElseThrow();
      counts.remove(least.getKey());
      counts.put(key, least.getValue() + 1);
    }

    synchronized List<Denied> top(int shown) {
      return counts.entrySet().stream()
          .map(entry -> new Denied(entry.getKey(), entry.getValue()))
          .sorted(Comparator.comparingLong(Denied::denied).reversed().thenComparing(Denied::key))
          .limit(shown)
          .toList();
    }
  }
}

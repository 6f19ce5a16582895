package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Plan;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Denials of the last few milliseconds, by policy and key. Bounded, without lock or thread.
 *
 * <p>A policy and key belong to a set of four places; where all are taken, the one that ends first
 * goes, so keys that are asked for over and over stay. Each set has an epoch, which a refund or
 * reset counts up: a denial carries the epoch of before its question was sent, and is void when
 * that has passed. So nothing has to be found and removed, and what is still on its way is void
 * too.
 */
final class Denials {
  private static final int WAYS = 4;
  private static final int SETS = 4_096;

  private final long most;
  private final int seed = ThreadLocalRandom.current().nextInt();
  private final AtomicReferenceArray<@Nullable Denial> places =
      new AtomicReferenceArray<>(SETS * WAYS);
  private final AtomicIntegerArray epochs = new AtomicIntegerArray(SETS);

  /**
   * An empty table.
   *
   * @param most how long a denial is repeated at most, in nanoseconds; 0 for not at all
   */
  Denials(long most) {
    this.most = most;
  }

  /** What is about to be asked. */
  Question question(Plan plan, String key, long cost, long now) {
    int set = set(plan.policy(), key);
    return new Question(plan, key, cost, now, set, epochs.get(set));
  }

  /** A denial that still holds; null if the store has to be asked. */
  @Nullable Decision answer(Question question) {
    return answer(
        question.set(), question.plan(), question.key(), question.cost(), question.sent());
  }

  /** As above, for those who make a question of it only if they are denied. */
  @Nullable Decision answer(int set, Plan plan, String key, long cost, long now) {
    for (int place = set * WAYS; place < (set + 1) * WAYS; place++) {
      Denial denial = places.get(place);
      if (denial != null
          && denial.answers(plan, key, cost)
          && !denial.isOver(now, epochs.get(set))) {
        return denial.answer(now);
      }
    }
    return null;
  }

  /** The store's answer to a question of an exact plan. */
  Decision heard(Question question, Decision answer, long now) {
    if (most == 0) {
      return answer;
    }
    if (answer.allowed()) {
      drop(question);
    } else {
      add(question, answer, Denial.exact(question, answer, now, most), now);
    }
    return answer;
  }

  /** Where the question is not answered by a denial, there is none to repeat. */
  void drop(Question question) {
    drop(question.set(), question.plan(), question.key(), question.cost());
  }

  /** As above. */
  void drop(int set, Plan plan, String key, long cost) {
    for (int place = set * WAYS; place < (set + 1) * WAYS; place++) {
      Denial denial = places.get(place);
      if (denial != null && denial.answers(plan, key, cost)) {
        places.compareAndSet(place, denial, null);
      }
    }
  }

  /**
   * The store's answer to a question of a leased plan: a key that was denied lately is not asked
   * for again before the pause is over.
   */
  Decision heardPausing(Question question, Decision answer, long now, long pauseNanos) {
    if (most == 0 || answer.allowed()) {
      return heard(question, answer, now);
    }
    add(question, answer, Denial.pausing(question, answer, now, most, pauseNanos), now);
    return answer;
  }

  /** Where the key was denied lately, nobody asks again before the pause is over. */
  void pause(Question question, long now, long pauseNanos) {
    int set = question.set();
    for (int place = set * WAYS; place < (set + 1) * WAYS; place++) {
      Denial denial = places.get(place);
      if (denial != null
          && denial.answers(question.plan(), question.key(), question.cost())
          && !denial.isOver(now, epochs.get(set))) {
        places.compareAndSet(place, denial, denial.askedAgainAt(question.sent() + pauseNanos));
      }
    }
  }

  /** Makes every denial of the key void, those on their way included. */
  void forget(String policy, String key) {
    epochs.incrementAndGet(set(policy, key));
  }

  private void add(Question question, Decision said, Denial denial, long now) {
    int set = question.set();
    int epoch = epochs.get(set);
    if (said.neverPasses() || denial.isOver(now, epoch)) {
      return;
    }
    int chosen = set * WAYS;
    Denial leaving = places.get(chosen);
    for (int place = set * WAYS; place < (set + 1) * WAYS; place++) {
      Denial there = places.get(place);
      if (there == null
          || there.isOver(now, epoch)
          || there.answers(question.plan(), question.key(), question.cost())) {
        places.set(place, denial);
        return;
      }
      if (leaving == null || there.endsBefore(leaving)) {
        leaving = there;
        chosen = place;
      }
    }
    places.set(chosen, denial);
  }

  /** What counts up with every refund of a key of the set. */
  int epoch(int set) {
    return epochs.get(set);
  }

  /** Where denials of a key are. The seed keeps callers from knowing which keys share a set. */
  int set(String policy, String key) {
    int hash = ((key.hashCode() ^ seed) * 31 + policy.hashCode()) * 0x9E3779B9;
    return hash >>> 20;
  }
}

package dev.sluice;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The way of a question to the store: what needs no store is answered before, and what a caller
 * sees of the answer, or of a failure, is made after.
 */
final class Asking {
  private final Sluice sluice;

  Asking(Sluice sluice) {
    this.sluice = sluice;
  }

  Decision ask(Policy asked, Request.Mode mode, String key, long cost, long maxWait, long time) {
    long started = started(mode);
    return decided(asked, answer(asked, mode, key, cost, maxWait, time), started);
  }

  /** Answers a question of which listeners do not hear, but that they hear if it makes no sense. */
  Decision answer(Policy asked, Request.Mode mode, String key, long cost, long maxWait, long time) {
    try {
      Plan plan = plan(asked, key, cost);
      if (plan == null) {
        return withoutLimits(asked, key, cost);
      }
      return cost > plan.capacity() && refusesImpossible(mode)
          ? impossible(asked, plan, key, cost, look(asked, plan, key))
          : decide(asked, plan, mode, key, cost, maxWait, time);
    } catch (IllegalArgumentException invalid) {
      sluice.invalid(asked, invalid);
      throw invalid;
    }
  }

  private Decision decide(
      Policy asked, Plan plan, Request.Mode mode, String key, long cost, long maxWait, long time) {
    Request request = request(plan, mode, key, cost, maxWait, time);
    try {
      return finish(asked, request.key(), key, sluice.front().decide(request));
    } catch (StoreUnavailableException failure) {
      return onFailure(asked, request, key, failure);
    }
  }

  CompletableFuture<Decision> askAsync(
      Policy asked, Request.Mode mode, String key, long cost, long maxWait, long time) {
    return answerAsync(asked, mode, key, cost, maxWait, time, started(mode));
  }

  /**
   * As {@link #answer}, without blocking.
   *
   * @param started see {@link #decided}
   */
  CompletableFuture<Decision> answerAsync(
      Policy asked,
      Request.Mode mode,
      String key,
      long cost,
      long maxWait,
      long time,
      long started) {
    try {
      Plan plan = plan(asked, key, cost);
      if (plan == null) {
        Decision unlimited = decided(asked, withoutLimits(asked, key, cost), started);
        return CompletableFuture.completedFuture(unlimited);
      } else if (cost > plan.capacity() && refusesImpossible(mode)) {
        return lookAsync(asked, plan, key)
            .thenApply(seen -> impossible(asked, plan, key, cost, seen.orElse(null)))
            .thenApply(decision -> decided(asked, decision, started));
      }
      Request request = request(plan, mode, key, cost, maxWait, time);
      return sluice
          .front()
          .decideAsync(
              request,
              (answer, failure) ->
                  decided(
                      asked,
                      answer != null
                          ? finish(asked, request.key(), key, answer)
                          : onFailure(asked, request, key, unavailable(failure)),
                      started));
    } catch (IllegalArgumentException invalid) {
      sluice.invalid(asked, invalid);
      throw invalid;
    }
  }

  /** Zero where nobody listens, or nothing is to be decided. */
  long started(Request.Mode mode) {
    return sluice.listens() && mode.decides() ? System.nanoTime() : 0;
  }

  /** What a key has left, for an answer that needs no store; null where the store is out. */
  private @Nullable Decision look(Policy asked, Plan plan, String key) {
    try {
      return sluice.front().decide(request(plan, Request.Mode.PEEK, key, 1, 0, 0));
    } catch (StoreUnavailableException failure) {
      sluice.failed(asked, failure);
      return null;
    }
  }

  CompletableFuture<Optional<Decision>> lookAsync(Policy asked, Plan plan, String key) {
    return sluice
        .front()
        .decideAsync(request(plan, Request.Mode.PEEK, key, 1, 0, 0))
        .handle(
            (seen, failure) -> {
              if (failure != null) {
                sluice.failed(asked, unavailable(failure));
              }
              return Optional.ofNullable(seen);
            });
  }

  /** Tells listeners of a decision; nobody listened where {@code started} is 0. */
  Decision decided(Policy asked, Decision decision, long started) {
    if (started != 0) {
      sluice.decided(asked, decision, System.nanoTime() - started);
    }
    return decision;
  }

  /** The failure of the store inside a future's failure; anything else is a defect and goes up. */
  static StoreUnavailableException unavailable(@Nullable Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof StoreUnavailableException unavailable) {
      return unavailable;
    }
    throw new CompletionException(cause);
  }

  static @Nullable Plan plan(Policy policy, String key, long cost) {
    checkKey(key);
    cost(cost, 1);
    return policy.planFor(key);
  }

  static void checkKey(String key) {
    if (key.isEmpty()) {
      throw new IllegalArgumentException("key must not be empty");
    }
  }

  static long cost(long cost, long least) {
    if (cost < least || cost > Limit.MOST_PERMITS) {
      throw new IllegalArgumentException(
          "cost must be from %d to %d, got %d".formatted(least, Limit.MOST_PERMITS, cost));
    }
    return cost;
  }

  private static boolean refusesImpossible(Request.Mode mode) {
    return switch (mode) {
      case ACQUIRE, BOOK, PEEK, RESERVE -> true;
      case FORCE, GIVE_BACK, POSTPONE, RESET, RELEASE, COMMIT -> false;
    };
  }

  static Request request(
      Plan plan, Request.Mode mode, String key, long cost, long maxWait, long time) {
    boolean named = plan.concurrent() || mode == Request.Mode.RESERVE;
    String id = named ? PermitId.newNonce() : null;
    return new Request(plan, Keys.canonical(key), cost, mode, maxWait, id, time);
  }

  /** A key that a rule lets through or keeps out. */
  static Decision withoutLimits(Policy policy, String key, long cost) {
    boolean denied =
        policy.ruleFor(key).map(rule -> rule.kind() == KeyRule.Kind.DENY).orElse(false);
    if (!denied) {
      return Decision.unlimited(policy.name(), key, cost);
    }
    Decision refused = Decision.impossible(policy.name(), key, cost, List.of(), null);
    return policy.shadow() ? refused.letThrough() : refused;
  }

  static Decision impossible(
      Policy policy, Plan plan, String key, long cost, @Nullable Decision seen) {
    Decision refused = Decision.impossible(policy.name(), key, cost, plan.limits(), seen);
    return policy.shadow() ? refused.letThrough() : refused;
  }

  /** False where the store answered for the digest of a long key, or for the overflow key. */
  @SuppressWarnings("ReferenceEquality") // the same text in another string is only copied in vain
  static boolean isFor(Decision decision, String key) {
    return decision.key() == key;
  }

  /** The store's answer as the caller sees it. */
  static Decision finish(Policy policy, String stored, String key, Decision decided) {
    Decision decision = decided;
    String nonce = decision.lease().orElse(null);
    if (nonce != null) {
      OptionalInt rule = stored.equals(key) ? OptionalInt.empty() : policy.ruleNumber(key);
      decision = decision.withLease(new PermitId(policy.name(), stored, nonce, rule).toString());
    }
    if (!isFor(decision, key)) {
      decision = decision.forKey(key);
    }
    return policy.shadow() && !decision.allowed() ? decision.letThrough() : decision;
  }

  /** What the policy says where the store did not answer. */
  Decision onFailure(Policy asked, Request request, String key, StoreUnavailableException failure) {
    sluice.failed(asked, failure);
    // A shadow must not stop anybody, whatever it is a shadow of.
    OnStoreFailure then =
        asked.shadow() && asked.onStoreFailure() == OnStoreFailure.DENY
            ? OnStoreFailure.ALLOW
            : asked.onStoreFailure();
    return switch (then) {
      case DENY -> throw failure;
      case ALLOW -> Decision.unlimited(asked.name(), key, request.cost()).degraded(true);
      case LOCAL -> {
        Request shared = request.under(localPlan(asked, key));
        Decision local =
            isPossible(shared) || !refusesImpossible(request.mode())
                ? sluice.local().decide(shared)
                : impossibleHere(shared);
        yield finish(asked, request.key(), key, local).degraded(true);
      }
    };
  }

  static boolean isPossible(Request request) {
    return request.cost() <= request.plan().capacity();
  }

  /** What this node's share says to a request that can never pass it. */
  Decision impossibleHere(Request shared) {
    Plan plan = shared.plan();
    Decision seen = sluice.local().decide(request(plan, Request.Mode.PEEK, shared.key(), 1, 0, 0));
    return Decision.impossible(plan.policy(), shared.key(), shared.cost(), plan.limits(), seen);
  }

  private static Plan localPlan(Policy asked, String key) {
    Plan plan = asked.share().planFor(key);
    if (plan == null) {
      throw new IllegalStateException("a key with limits has limits in its share");
    }
    return plan;
  }
}

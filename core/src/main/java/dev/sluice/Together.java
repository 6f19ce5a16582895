package dev.sluice;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Several checks decided as one. Checks without limits, and checks that can never pass, are settled
 * here; those of shadow policies must not stop the others, so they are decided on their own after
 * the rest has passed.
 */
final class Together {
  /** The most checks that can be decided together. */
  static final int MOST = 100;

  private final Sluice sluice;
  private final List<PolicyCheck> checks;
  private final Policy[] policies;
  private final Decision[] decisions;
  private final Request[] requests;
  private final @Nullable Plan[] impossible;

  Together(Sluice sluice, List<PolicyCheck> checks) {
    if (checks.isEmpty() || checks.size() > MOST) {
      throw new IllegalArgumentException(
          "checks must be from 1 to %d, got %d".formatted(MOST, checks.size()));
    }
    this.sluice = sluice;
    this.checks = checks;
    this.policies = new Policy[checks.size()];
    this.decisions = new Decision[checks.size()];
    this.requests = new Request[checks.size()];
    this.impossible = new @Nullable Plan[checks.size()];
    for (int i = 0; i < policies.length; i++) {
      PolicyCheck check = checks.get(i);
      Policy policy = check.policy();
      policies[i] = policy;
      try {
        prepare(i, policy, check);
      } catch (IllegalArgumentException invalid) {
        sluice.invalid(policy, invalid);
        throw invalid;
      }
    }
  }

  private void prepare(int i, Policy policy, PolicyCheck check) {
    Plan plan = Asking.plan(policy, check.key(), check.cost());
    if (plan == null) {
      decisions[i] = Asking.withoutLimits(policy, check.key(), check.cost());
    } else if (check.cost() > plan.capacity()) {
      impossible[i] = plan;
      decisions[i] = Asking.impossible(policy, plan, check.key(), check.cost(), null);
    } else {
      requests[i] = Asking.request(plan, Request.Mode.ACQUIRE, check.key(), check.cost(), 0, 0);
    }
  }

  CompletableFuture<List<Decision>> decide() {
    long started = System.nanoTime();
    List<Integer> strict = new ArrayList<>();
    boolean possible = true;
    for (int i = 0; i < policies.length; i++) {
      if (decisions[i] != null) {
        possible &= decisions[i].allowed();
      } else if (!policies[i].shadow()) {
        strict.add(i);
      }
    }
    if (!possible) {
      return eachOnItsOwn(Request.Mode.PEEK, started);
    }
    if (strict.isEmpty()) {
      return eachOnItsOwn(Request.Mode.ACQUIRE, started);
    }
    return decideStrict(strict)
        .thenCompose(
            allowed -> eachOnItsOwn(allowed ? Request.Mode.ACQUIRE : Request.Mode.PEEK, started));
  }

  /** Decides those that can stop the others; completes with whether all of them passed. */
  private CompletableFuture<Boolean> decideStrict(List<Integer> strict) {
    List<Request> asked = strict.stream().map(i -> requests[i]).toList();
    return sluice
        .front()
        .decideTogetherAsync(asked)
        .handle(
            (answers, failure) -> {
              boolean degraded = failure != null;
              List<Decision> decided =
                  degraded
                      ? onFailure(strict, Asking.unavailable(failure))
                      : Objects.requireNonNull(answers);
              boolean all = decided.stream().allMatch(Decision::allowed);
              for (int j = 0; j < decided.size(); j++) {
                int i = strict.get(j);
                // Where one was denied nothing is held, whatever the others said.
                Decision answer = all ? decided.get(j) : decided.get(j).withLease(null);
                decisions[i] = finish(i, answer).degraded(degraded);
              }
              return all;
            });
  }

  /** The strictest policy decides for all: none can be charged without the others. */
  private List<Decision> onFailure(List<Integer> strict, StoreUnavailableException failure) {
    OnStoreFailure strictest = OnStoreFailure.ALLOW;
    for (int i : strict) {
      sluice.failed(policies[i], failure);
      OnStoreFailure own = policies[i].onStoreFailure();
      if (own == OnStoreFailure.DENY) {
        throw failure;
      }
      strictest = own == OnStoreFailure.LOCAL ? own : strictest;
    }
    if (strictest == OnStoreFailure.LOCAL) {
      List<Request> shares = strict.stream().map(this::sharedRequest).toList();
      return shares.stream().allMatch(Asking::isPossible)
          ? sluice.local().decideTogether(shares)
          : shares.stream().map(this::lookHere).toList();
    }
    return strict.stream()
        .map(i -> checks.get(i))
        .map(c -> Decision.unlimited(c.policy().name(), c.key(), c.cost()))
        .toList();
  }

  private Request sharedRequest(int i) {
    PolicyCheck check = checks.get(i);
    Plan plan = Objects.requireNonNull(policies[i].share().planFor(check.key()));
    return Asking.request(plan, Request.Mode.ACQUIRE, check.key(), check.cost(), 0, 0);
  }

  /** What this node's share says where nothing is taken, for another check can never pass. */
  private Decision lookHere(Request shared) {
    return Asking.isPossible(shared)
        ? sluice.local().decide(withMode(shared, Request.Mode.PEEK))
        : new Asking(sluice).impossibleHere(shared);
  }

  private static Request withMode(Request r, Request.Mode mode) {
    return new Request(r.plan(), r.key(), r.cost(), mode, 0, r.id(), 0);
  }

  private CompletableFuture<List<Decision>> eachOnItsOwn(Request.Mode mode, long started) {
    List<CompletableFuture<Decision>> pending = new ArrayList<>();
    for (int i = 0; i < policies.length; i++) {
      Plan tooSmall = impossible[i];
      if (tooSmall != null) {
        pending.add(look(i, tooSmall));
      } else if (decisions[i] == null) {
        pending.add(onItsOwn(i, mode));
      }
    }
    return CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new))
        .thenApply(
            done -> {
              for (int i = 0; i < policies.length; i++) {
                sluice.decided(policies[i], decisions[i], System.nanoTime() - started);
              }
              return List.copyOf(Arrays.asList(decisions));
            });
  }

  private CompletableFuture<Decision> look(int i, Plan plan) {
    PolicyCheck check = checks.get(i);
    return new Asking(sluice)
        .lookAsync(policies[i], plan, check.key())
        .thenApply(
            seen -> {
              decisions[i] =
                  Asking.impossible(
                      policies[i], plan, check.key(), check.cost(), seen.orElse(null));
              return decisions[i];
            });
  }

  private CompletableFuture<Decision> onItsOwn(int i, Request.Mode mode) {
    Request r = requests[i];
    return sluice
        .front()
        .decideAsync(withMode(r, mode))
        .handle(
            (answer, failure) -> {
              if (failure == null) {
                decisions[i] = finish(i, Objects.requireNonNull(answer));
              } else {
                sluice.failed(policies[i], Asking.unavailable(failure));
                String key = checks.get(i).key();
                decisions[i] = Decision.unlimited(policies[i].name(), key, r.cost()).degraded(true);
              }
              return decisions[i];
            });
  }

  private Decision finish(int i, Decision decided) {
    return Asking.finish(policies[i], requests[i].key(), checks.get(i).key(), decided);
  }
}

package dev.sluice;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Ends what a decision left open: permits that are held, and reservations. */
final class Settling {
  private final Sluice sluice;

  Settling(Sluice sluice) {
    this.sluice = sluice;
  }

  /** Settles what an id names: where this node's share gave it out, there. */
  CompletableFuture<Settled> settle(
      @Nullable Policy policy, Request.Mode mode, PermitId id, long cost) {
    Request request = policy == null ? null : request(policy, mode, id, cost);
    if (policy == null || request == null) {
      return CompletableFuture.completedFuture(Settled.UNKNOWN);
    }
    Store share = sluice.localIfAny();
    Request shared = share == null ? null : request(policy.share(), mode, id, cost);
    if (share != null && shared != null) {
      Settled here = Settled.by(share.decide(shared));
      if (here != Settled.UNKNOWN) {
        return CompletableFuture.completedFuture(here);
      }
    }
    return sluice
        .front()
        .decideAsync(request)
        .handle(
            (decision, failure) -> {
              if (failure != null) {
                StoreUnavailableException unavailable = Asking.unavailable(failure);
                sluice.failed(policy, unavailable);
                throw unavailable;
              }
              return Settled.by(decision);
            });
  }

  /** Null if the policy has no such rule any more. */
  private static @Nullable Request request(
      Policy policy, Request.Mode mode, PermitId id, long cost) {
    Plan plan = plan(policy, id);
    return plan == null ? null : new Request(plan, id.key(), cost, mode, 0, id.nonce(), 0);
  }

  private static @Nullable Plan plan(Policy policy, PermitId id) {
    if (id.rule().isPresent()) {
      return policy.planOfRule(id.rule().getAsInt());
    }
    // A digest may look like what a rule is for; the key that it stands for did not.
    return Keys.isCanonical(id.key()) ? policy.planFor(id.key()) : policy.planOfOthers();
  }
}

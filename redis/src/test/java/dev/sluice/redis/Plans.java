package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Store;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Plans as a store gets them. */
final class Plans {
  private Plans() {}

  /** The plan of a policy with these limits. */
  static Plan of(String policy, Limit... limits) {
    AtomicReference<Plan> plan = new AtomicReference<>();
    try (Sluice sluice = Sluice.of(new Listening(plan))) {
      sluice.limiter(policy, limits).peek("k");
    }
    return plan.get();
  }

  /** A store that only listens. */
  private record Listening(AtomicReference<Plan> plan) implements Store {
    @Override
    public Decision decide(Request request) {
      plan.set(request.plan());
      return Decision.of(
          request,
          true,
          new dev.sluice.LimitDecision[] {
            new dev.sluice.LimitDecision(request.plan().limits().get(0), true, 1, 0, 0)
          },
          0,
          0,
          false);
    }

    @Override
    public List<Decision> decideTogether(List<Request> requests) {
      return requests.stream().map(this::decide).toList();
    }

    @Override
    public void close() {}
  }
}

package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.Plan;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A plan with the homes of its limits' keys. */
final class Prepared {
  final String policy;
  final Limit[] limits;
  final Home[] homes;
  // After this long nothing of a charge is left.
  final long memoryMicros;
  // The short way, where there is one.
  final @Nullable QuickBucket quick;

  Prepared(InMemoryStore store, Plan plan, Function<Limit, Home> homeOf) {
    this.policy = plan.policy();
    this.limits = plan.limits().toArray(Limit[]::new);
    this.homes = plan.limits().stream().map(homeOf).toArray(Home[]::new);
    this.memoryMicros =
        plan.limits().stream().mapToLong(Limit::windowMicros).max().orElseThrow() * 2;
    this.quick =
        homes.length == 1 && homes[0].meter != null
            ? new QuickBucket(
                store,
                plan,
                this,
                homes[0].meter,
                (key, cost) -> store.decideFully(plan, key, cost))
            : null;
  }
}

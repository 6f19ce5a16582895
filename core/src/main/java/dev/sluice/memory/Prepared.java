package dev.sluice.memory;

import dev.sluice.Limit;
import dev.sluice.Plan;
import java.util.function.ToIntFunction;

/** A plan with the numbers of the tables that hold its limits. */
class Prepared {
  final String policy;
  final Limit[] limits;
  final int[] tables;
  // After this long nothing of a charge is left.
  final long memoryMicros;

  static Prepared of(Plan plan, long slack, ToIntFunction<Limit> tableOf) {
    return QuickBucket.isFor(plan)
        ? new QuickBucket(plan, slack, tableOf)
        : new Prepared(plan, tableOf);
  }

  Prepared(Plan plan, ToIntFunction<Limit> tableOf) {
    this.policy = plan.policy();
    this.limits = plan.limits().toArray(Limit[]::new);
    this.tables = plan.limits().stream().mapToInt(tableOf).toArray();
    this.memoryMicros =
        plan.limits().stream().mapToLong(Limit::windowMicros).max().orElseThrow() * 2;
  }
}

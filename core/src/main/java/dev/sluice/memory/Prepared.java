package dev.sluice.memory;

import dev.sluice.Algorithm;
import dev.sluice.Limit;
import dev.sluice.Plan;
import java.util.function.ToIntFunction;

/** A plan with the numbers of the tables that hold its limits. */
final class Prepared {
  final String policy;
  final Limit[] limits;
  final int[] tables;
  // One token bucket and nothing else: the case that is worth a shorter way.
  final boolean tokenBucketOnly;
  // After this long nothing of a charge is left.
  final long memoryMicros;

  Prepared(Plan plan, ToIntFunction<Limit> tableOf) {
    this.policy = plan.policy();
    this.limits = plan.limits().toArray(Limit[]::new);
    this.tables = plan.limits().stream().mapToInt(tableOf).toArray();
    this.tokenBucketOnly = limits.length == 1 && limits[0].algorithm() == Algorithm.TOKEN_BUCKET;
    this.memoryMicros =
        plan.limits().stream().mapToLong(Limit::windowMicros).max().orElseThrow() * 2;
  }
}

package dev.sluice.server.config;

import dev.sluice.Limit;
import dev.sluice.Policy;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The policies of a server that was started without a file. */
final class DefaultPolicies {
  private DefaultPolicies() {}

  static List<Policy> with(@Nullable Duration deadline) {
    Duration second = Duration.ofSeconds(1);
    Duration minute = Duration.ofMinutes(1);
    return List.of(
        policy("demo", Limit.tokenBucket(10, second).burst(20), deadline),
        policy("login", Limit.slidingLog(5, minute), deadline));
  }

  private static Policy policy(String name, Limit limit, @Nullable Duration deadline) {
    Policy.Builder builder = Policy.named(name).limits(List.of(limit));
    return (deadline == null ? builder : builder.deadline(deadline)).build();
  }
}

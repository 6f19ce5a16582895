package dev.sluice.server.envoy;

import com.google.protobuf.Struct;
import dev.sluice.Policy;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What applies to a descriptor that was found.
 *
 * @param kind whether and how it limits
 * @param policy the limit to ask; null unless the kind is {@link Kind#LIMITED}
 * @param shown the limit as the answer tells it
 * @param name what {@code replaces} calls it, empty for nothing
 * @param replaces names of rules that do not apply to a request to which this one does
 * @param quota whether a request is denied only when all its quota rules are over
 * @param shadow whether it only counts
 * @param metadata what is handed back when it passes
 */
record Rule(
    Kind kind,
    @Nullable Policy policy,
    RateLimit shown,
    String name,
    Set<String> replaces,
    boolean quota,
    boolean shadow,
    Struct metadata) {
  /** Whether and how a rule limits. */
  enum Kind {
    /** There is a limit to ask. */
    LIMITED,
    /** Everything passes. */
    UNLIMITED,
    /** Nothing passes: {@code requests_per_unit} is 0. */
    CLOSED
  }
}

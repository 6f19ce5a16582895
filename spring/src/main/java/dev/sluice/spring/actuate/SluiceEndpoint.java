package dev.sluice.spring.actuate;

import dev.sluice.Decision;
import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * The endpoint {@code sluice}: the policies in force, the most limited keys, and one key's state,
 * which can be read and reset.
 */
@Endpoint(id = "sluice")
public final class SluiceEndpoint {
  /** The store and all policies. */
  public record Overview(String store, List<PolicyDescription> policies) {}

  /** One policy, its limits as lines, and the keys that it limits most. */
  public record PolicyDescription(
      String name,
      List<String> limits,
      Map<String, String> keys,
      String onStoreFailure,
      boolean shadow,
      String tier,
      List<TopKeys.Denied> top) {}

  /**
   * What a request of one permit would be told now; retryAfterMillis is null where it never passes.
   */
  public record KeyState(
      String policy,
      String key,
      boolean allowed,
      @Nullable String binding,
      long remaining,
      @Nullable Long retryAfterMillis,
      long resetAfterMillis) {}

  private final Sluice sluice;
  private final TopKeys top;

  /** An endpoint for these limits. */
  public SluiceEndpoint(Sluice sluice, TopKeys top) {
    this.sluice = sluice;
    this.top = top;
  }

  /** Everything: the store and all policies. */
  @ReadOperation
  public Overview overview() {
    return new Overview(
        sluice.store().toString(), sluice.policies().stream().map(this::describe).toList());
  }

  /** One policy; null, which is 404, if there is none of that name. */
  @ReadOperation
  public @Nullable PolicyDescription policy(@Selector String policy) {
    return find(policy).map(this::describe).orElse(null);
  }

  /** One key, without taking anything. Keys may hold slashes. */
  @ReadOperation
  public @Nullable KeyState peek(
      @Selector String policy, @Selector(match = Selector.Match.ALL_REMAINING) String[] key) {
    String whole = String.join("/", key);
    return find(policy)
        .map(found -> quiet(found).peek(whole))
        .map(SluiceEndpoint::describe)
        .orElse(null);
  }

  /** Forgets what one key has used. */
  @DeleteOperation
  public @Nullable KeyState reset(
      @Selector String policy, @Selector(match = Selector.Match.ALL_REMAINING) String[] key) {
    String whole = String.join("/", key);
    return find(policy)
        .map(
            found -> {
              quiet(found).reset(whole);
              return describe(quiet(found).peek(whole));
            })
        .orElse(null);
  }

  private Optional<Policy> find(String name) {
    return sluice.limiter(name).map(RateLimiter::policy);
  }

  /** The same policy on the same store without listeners: operators are not counted as traffic. */
  private RateLimiter quiet(Policy policy) {
    return Sluice.of(sluice.store()).limiter(policy);
  }

  private PolicyDescription describe(Policy policy) {
    Map<String, String> keys = new LinkedHashMap<>();
    for (KeyRule rule : policy.keys()) {
      keys.put(
          rule.pattern(),
          rule.kind() == KeyRule.Kind.LIMITS ? rule.limits().toString() : word(rule.kind()));
    }
    return new PolicyDescription(
        policy.name(),
        policy.limits().stream().map(Limit::toString).toList(),
        keys,
        word(policy.onStoreFailure()),
        policy.shadow(),
        word(policy.tier()),
        top.of(policy.name()));
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static KeyState describe(Decision decision) {
    return new KeyState(
        decision.policy(),
        decision.key(),
        decision.allowed(),
        decision.binding().map(Limit::name).orElse(null),
        decision.remaining(),
        decision.neverPasses() ? null : Long.valueOf(millis(decision.retryAfterMicros())),
        millis(decision.resetAfterMicros()));
  }

  private static long millis(long micros) {
    return -Math.floorDiv(-micros, 1_000);
  }
}

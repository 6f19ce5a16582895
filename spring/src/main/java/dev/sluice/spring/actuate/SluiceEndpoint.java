package dev.sluice.spring.actuate;

import dev.sluice.Decision;
import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.StoreUnavailableException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
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
   * What a request of one permit would be told now; retryAfterMillis is null where it never passes,
   * and the figures mean nothing where degraded is true: the store did not answer.
   */
  public record KeyState(
      String policy,
      String key,
      boolean allowed,
      @Nullable String binding,
      long remaining,
      @Nullable Long retryAfterMillis,
      long resetAfterMillis,
      boolean degraded) {}

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

  /**
   * One policy, or, where more follows, one of its keys, without taking anything. Keys may hold
   * slashes. Null, which is 404, if there is no policy of that name.
   *
   * @param path the policy and the key; as one selector, because WebFlux hands over the whole rest
   *     of the path even if a selector stands before it
   */
  @ReadOperation
  public @Nullable Object read(@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
    Optional<Policy> policy = find(path[0]);
    return path.length == 1
        ? policy.map(this::describe).orElse(null)
        : policy.map(found -> describe(quiet(found).peek(key(path)))).orElse(null);
  }

  /**
   * Forgets what one key has used.
   *
   * @throws StoreUnavailableException if the store did not hear of it, whatever the policy says of
   *     that: it is for those who ask to pass
   */
  @DeleteOperation
  public @Nullable KeyState reset(@Selector(match = Selector.Match.ALL_REMAINING) String... path) {
    if (path.length == 1) {
      throw new InvalidEndpointRequestException(
          "a key must follow the policy '%s'".formatted(path[0]), "no key to reset");
    }
    Optional<Policy> policy = find(path[0]);
    policy.map(found -> quiet(found).reset(key(path))).ifPresent(SluiceEndpoint::requireChanged);
    return policy.map(found -> describe(quiet(found).peek(key(path)))).orElse(null);
  }

  private static void requireChanged(Decision reset) {
    if (reset.degraded()) {
      throw new StoreUnavailableException(
          "unreachable", "the store did not answer: nothing was changed", null);
    }
  }

  private static String key(String[] path) {
    return String.join("/", Arrays.copyOfRange(path, 1, path.length));
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
        millis(decision.resetAfterMicros()),
        decision.degraded());
  }

  private static long millis(long micros) {
    return -Math.floorDiv(-micros, 1_000);
  }
}

package dev.sluice.spring.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which policy limits the requests of a path. One check stands in the rule itself; several, which
 * are decided together, in its list of checks.
 *
 * @param path The pattern of paths, such as /orders/{id} or /api/**.
 * @param methods Only these methods; all where this is left out.
 * @param exempt Whether these requests pass unchecked, whatever rules follow.
 * @param policy The policy that limits these requests.
 * @param key Who is limited: address (default), principal, header:NAME, api-key and others.
 * @param cost Permits that one request takes; 1 by default.
 * @param onMissing What happens to a request without the key: deny (default), anonymous or skip.
 * @param checks Several policies, each with its key, cost and on-missing.
 */
public record RuleProperties(
    @Nullable String path,
    @Nullable List<String> methods,
    @DefaultValue("false") boolean exempt,
    @Nullable String policy,
    @Nullable String key,
    @Nullable Long cost,
    @Nullable String onMissing,
    @DefaultValue List<Check> checks) {

  /**
   * One of several policies of a rule.
   *
   * @param policy The policy.
   * @param key Who is limited; the address by default.
   * @param cost Permits that one request takes; 1 by default.
   * @param onMissing What happens to a request without the key.
   */
  public record Check(
      @Nullable String policy,
      @Nullable String key,
      @Nullable Long cost,
      @Nullable String onMissing) {
    private Map<String, Object> words() {
      Map<String, Object> words = new LinkedHashMap<>();
      put(words, "policy", policy);
      put(words, "key", key);
      put(words, "cost", cost);
      put(words, "on-missing", onMissing);
      return words;
    }
  }

  /** The rule as {@link dev.sluice.http.LimitRules#parse} reads it. */
  Map<String, Object> words() {
    Map<String, Object> words = new Check(policy, key, cost, onMissing).words();
    put(words, "path", path);
    put(words, "methods", methods);
    put(words, "exempt", exempt ? true : null);
    put(words, "checks", checks.isEmpty() ? null : checks.stream().map(Check::words).toList());
    return words;
  }

  private static void put(Map<String, Object> words, String name, @Nullable Object value) {
    if (value != null) {
      words.put(name, value);
    }
  }
}

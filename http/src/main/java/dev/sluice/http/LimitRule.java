package dev.sluice.http;

import dev.sluice.Limit;
import dev.sluice.http.path.PathPattern;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which policies apply to requests of a path, and by which key each. Immutable: every method
 * returns a new rule.
 *
 * <pre>{@code
 * LimitRule.path("/login").methods("POST")
 *     .check("login-by-address", RequestKey.address(ClientAddress.ofPeer()))
 *     .check("login-by-user", RequestKey.header("X-User", Normaliser.EMAIL));
 * }</pre>
 *
 * <p>All checks of a rule are decided together: if one denies, none is charged.
 */
public final class LimitRule {
  /**
   * One policy of a rule.
   *
   * @param cost permits that one request takes, from 1 to {@link Limit#MOST_PERMITS}
   * @param onMissing what happens to a request without this key
   */
  public record RuleCheck(String policy, RequestKey key, long cost, MissingKey onMissing) {
    /** Refuses a cost that no limiter accepts. */
    public RuleCheck {
      if (cost < 1 || cost > Limit.MOST_PERMITS) {
        throw new IllegalArgumentException(
            "check of policy '%s': cost must be from 1 to %d, got %d"
                .formatted(policy, Limit.MOST_PERMITS, cost));
      }
    }
  }

  // A token of RFC 9110, but for the star: it would be taken for all methods, and match none.
  private static final Pattern METHOD = Pattern.compile("[A-Z0-9!#$%&'+.^_`|~-]+");

  private final PathPattern pattern;
  private final Set<String> methods;
  private final List<RuleCheck> checks;
  private final boolean exempt;

  private LimitRule(
      PathPattern pattern, Set<String> methods, List<RuleCheck> checks, boolean exempt) {
    this.pattern = pattern;
    this.methods = methods;
    this.checks = checks;
    this.exempt = exempt;
  }

  /**
   * A rule for all paths of a pattern: {@code /orders/{id}}, {@code /static/*.css}, {@code
   * /api/**}.
   *
   * @throws IllegalArgumentException if the pattern cannot be read
   */
  public static LimitRule path(String pattern) {
    return new LimitRule(PathPattern.parse(pattern), Set.of(), List.of(), false);
  }

  /**
   * Only these methods, in any case; all by default. GET includes HEAD, which does the same work.
   *
   * @throws IllegalArgumentException if there are none, or one is no name that HTTP allows
   */
  public LimitRule methods(String... names) {
    if (names.length == 0) {
      throw new IllegalArgumentException(
          "rule '%s': methods must not be empty; without methods it holds for all"
              .formatted(pattern));
    }
    Set<String> set =
        Arrays.stream(names).map(this::named).collect(Collectors.toCollection(LinkedHashSet::new));
    return new LimitRule(pattern, set, checks, exempt);
  }

  private String named(String name) {
    String method = method(name);
    if (!METHOD.matcher(method).matches()) {
      throw new IllegalArgumentException(
          "rule '%s': a method must be one name such as GET, got '%s'"
              .formatted(pattern, name.strip()));
    }
    return method;
  }

  /** Adds a check of one permit; a request without the key is refused. */
  public LimitRule check(String policy, RequestKey key) {
    return check(new RuleCheck(policy, key, 1, MissingKey.DENY));
  }

  /** Adds a check. */
  public LimitRule check(RuleCheck check) {
    List<RuleCheck> more = new ArrayList<>(checks);
    more.add(check);
    return new LimitRule(pattern, methods, List.copyOf(more), exempt);
  }

  /** Lets requests of this path pass unchecked, whatever rules follow. */
  public LimitRule exempt() {
    return new LimitRule(pattern, methods, checks, true);
  }

  /** The checks, in order; none for a path that is exempt. */
  public List<RuleCheck> checks() {
    return checks;
  }

  /** The path pattern as written. */
  public String pattern() {
    return pattern.toString();
  }

  boolean endsInStar() {
    return pattern.endsInStar();
  }

  boolean matches(String method, List<String> path) {
    return (methods.isEmpty() || methods.contains(method(method))) && pattern.matches(path);
  }

  /** Refuses a rule that says nothing, or two things at once. */
  void validate() {
    if (exempt == !checks.isEmpty()) {
      throw new IllegalArgumentException(
          "rule '%s': must have a check or be exempt, got %s"
              .formatted(this, exempt ? "both" : "neither"));
    }
  }

  /** Whether no request that the other rule matches gets past this one. */
  boolean hides(LimitRule other) {
    boolean allMethods =
        methods.isEmpty() || (!other.methods.isEmpty() && methods.containsAll(other.methods));
    return allMethods && pattern.covers(other.pattern);
  }

  /** The method as rules and keys know it: HEAD is answered by the handler of GET. */
  static String method(String name) {
    String upper = name.strip().toUpperCase(Locale.ROOT);
    return upper.equals("HEAD") ? "GET" : upper;
  }

  /** The methods and the pattern, such as {@code POST /login}. */
  @Override
  public String toString() {
    return methods.isEmpty() ? pattern.toString() : String.join(",", methods) + " " + pattern;
  }
}

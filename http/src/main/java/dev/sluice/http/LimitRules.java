package dev.sluice.http;

import dev.sluice.http.path.RequestPath;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Rules in order: the first that matches a request applies, alone. So the most specific stands
 * first and {@code /**} last; a rule that could never be reached is refused. A request that no rule
 * matches is not limited. Immutable.
 *
 * <p>Paths are compared in one spelling: escapes decoded, {@code ;parameters}, double and trailing
 * slashes and dot segments gone; case counts. Servers and frameworks may read a path with dots or
 * escaped slashes otherwise: {@link RequestLimiter} applies the rules of all readings.
 */
public final class LimitRules {
  private final List<LimitRule> rules;

  private LimitRules(List<LimitRule> rules) {
    this.rules = rules;
  }

  /** As {@link #of(List)}. */
  public static LimitRules of(LimitRule... rules) {
    return of(List.of(rules));
  }

  /**
   * Rules in order.
   *
   * @throws IllegalArgumentException if a rule says nothing, or can never be reached
   */
  public static LimitRules of(List<LimitRule> rules) {
    for (int i = 0; i < rules.size(); i++) {
      LimitRule rule = rules.get(i);
      rule.validate();
      for (LimitRule earlier : rules.subList(0, i)) {
        if (earlier.hides(rule)) {
          throw new IllegalArgumentException(
              "rule '%s': must stand before rule '%s', which matches all its requests"
                  .formatted(rule, earlier));
        }
      }
    }
    return new LimitRules(List.copyOf(rules));
  }

  /**
   * Reads rules as configuration files hold them, a map for each: {@code path}; optionally {@code
   * methods} (a list, or text with commas); and either {@code exempt: true}, or {@code policy} with
   * {@code key} (see {@link RequestKey#parse}; {@code address} by default), {@code cost} (1) and
   * {@code on-missing} (see {@link MissingKey}; {@code deny}), or {@code checks}, a list of maps
   * with those four.
   *
   * @param address how {@code address} is found
   * @throws IllegalArgumentException if a rule cannot be read; the text says which, and why
   */
  public static LimitRules parse(List<? extends Map<String, ?>> rules, ClientAddress address) {
    return of(rules.stream().map(rule -> RuleReader.read(rule, address)).toList());
  }

  /**
   * The rule that applies to the one spelling of a request's path, if any. Where the path can be
   * read otherwise too, {@link RequestLimiter} may apply more rules than this one, and one where
   * this finds none.
   */
  public Optional<LimitRule> match(HttpRequestView request) {
    return match(request.method(), RequestPath.segments(request.path()));
  }

  /**
   * The rules that apply to a request, which may be several: {@code /api/../login} is {@code
   * /login} to a server, and may be {@code /api/{version}/login} to a framework behind it.
   */
  List<LimitRule> matching(HttpRequestView request) {
    return Stream.concat(Stream.of(request.path()), request.mappedPath().stream())
        .flatMap(path -> RequestPath.readings(path).stream())
        .flatMap(segments -> match(request.method(), segments).stream())
        .distinct()
        .toList();
  }

  private Optional<LimitRule> match(String method, List<String> path) {
    Optional<LimitRule> first =
        rules.stream().filter(rule -> rule.matches(method, path)).findFirst();
    // To all other rules a slash at the end makes no other path, and that is tried too.
    return RequestPath.endsInSlash(path) ? first.filter(LimitRule::endsInStar) : first;
  }

  /** The rules, in order. */
  public List<LimitRule> rules() {
    return rules;
  }

  @Override
  public String toString() {
    return rules.toString();
  }
}

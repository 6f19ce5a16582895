package dev.sluice.http;

import dev.sluice.Decision;
import dev.sluice.Limit;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;

/**
 * An {@code application/problem+json} document (RFC 9457). Immutable.
 *
 * <p>Denials have the type {@link #QUOTA_EXCEEDED} and name the limits that said no in {@code
 * violated-policies}: those are the names that stand in {@code RateLimit-Policy}. A key that is
 * refused for good has no limits, so there the policy is named, but to a client behind an edge.
 */
public final class Problem {
  /** The media type of {@link #json}. */
  public static final String MEDIA_TYPE = "application/problem+json";

  /** The type of a denial. */
  public static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";

  /** The type of an answer that could not be had because the store failed. */
  public static final String TEMPORARY_REDUCED_CAPACITY =
      "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

  /** The type of everything whose status says it all. */
  public static final String BLANK = "about:blank";

  private final String type;
  private final String title;
  private final int status;
  private final String detail;
  private final Consumer<JsonGenerator> members;

  private Problem(
      String type, String title, int status, String detail, Consumer<JsonGenerator> members) {
    this.type = type;
    this.title = title;
    this.status = status;
    this.detail = detail;
    this.members = members;
  }

  /** A denial, with all members of the decision: for those who named the key themselves. */
  public static Problem denied(Decision decision) {
    return denied(
        detail(decision), violatedOrPolicy(decision), j -> DecisionJson.writeMembers(decision, j));
  }

  /** A denial of checks that were decided together. */
  public static Problem denied(List<Decision> decisions) {
    Decision binding = Verdict.binding(decisions);
    List<String> violated =
        decisions.stream().flatMap(each -> violatedOrPolicy(each).stream()).distinct().toList();
    return denied(detail(binding), violated, j -> DecisionJson.writeChecks(decisions, j));
  }

  /**
   * A denial for a client behind an edge. It tells neither the key, which may be a secret or
   * another identity that the client shares, nor the policy.
   */
  public static Problem deniedToClient(List<Decision> decisions) {
    Decision binding = Verdict.binding(decisions);
    List<String> violated =
        decisions.stream().flatMap(each -> violated(each).stream()).distinct().toList();
    return denied(
        detail(binding),
        violated,
        json -> {
          json.writeBooleanProperty("allowed", false);
          DecisionJson.writeFigures(binding, json);
        });
  }

  private static Problem denied(
      String detail, List<String> violated, Consumer<JsonGenerator> members) {
    return new Problem(
        QUOTA_EXCEEDED,
        "Quota exceeded",
        429,
        detail,
        json -> {
          json.writeArrayPropertyStart("violated-policies");
          violated.forEach(json::writeString);
          json.writeEndArray();
          members.accept(json);
        });
  }

  /**
   * Input that makes no sense; the detail says which field, what was wrong and what is expected.
   */
  public static Problem badRequest(String detail) {
    return of(400, "Bad Request", detail);
  }

  /** Something that is not there, such as a policy. */
  public static Problem notFound(String detail) {
    return of(404, "Not Found", detail);
  }

  /** The store did not decide, and the policy denies then. */
  public static Problem storeUnavailable() {
    return new Problem(
        TEMPORARY_REDUCED_CAPACITY,
        "Temporarily reduced capacity",
        503,
        "the limit could not be checked; try again later",
        json -> {});
  }

  /** Any other problem whose status says what kind it is. */
  public static Problem of(int status, String title, String detail) {
    return new Problem(BLANK, title, status, detail, json -> {});
  }

  /** The same problem under another status, as proxies that know no 429 ask for. */
  public Problem status(int other) {
    return new Problem(type, title, other, detail, members);
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** What happened, for people. */
  public String detail() {
    return detail;
  }

  /** The document, in ASCII. */
  public byte[] json() {
    return DecisionJson.document(
        json -> {
          json.writeStartObject();
          json.writeStringProperty("type", type);
          json.writeStringProperty("title", title);
          json.writeNumberProperty("status", status);
          json.writeStringProperty("detail", detail);
          members.accept(json);
          json.writeEndObject();
        });
  }

  private static List<String> violated(Decision decision) {
    return decision.allowed()
        ? List.of()
        : decision.limits().stream()
            .filter(limit -> !limit.allowed())
            .map(limit -> limit.limit().name())
            .toList();
  }

  private static List<String> violatedOrPolicy(Decision decision) {
    List<String> names = violated(decision);
    return decision.allowed() || !names.isEmpty() ? names : List.of(decision.policy());
  }

  private static String detail(Decision decision) {
    Limit limit = decision.binding().orElse(null);
    if (limit == null) {
      return "this key is refused";
    }
    if (decision.neverPasses()) {
      return String.format(
          Locale.ROOT,
          "a cost of %d can never pass limit '%s' with a capacity of %d",
          decision.cost(),
          limit.name(),
          limit.capacity());
    }
    return String.format(
        Locale.ROOT,
        "limit '%s' has %d of %d left, too few for a cost of %d; retry in %d ms",
        limit.name(),
        decision.remaining(),
        limit.capacity(),
        decision.cost(),
        DecisionJson.ceilMillis(decision.retryAfterMicros()));
  }

  @Override
  public String toString() {
    return status + " " + title + ": " + detail;
  }
}

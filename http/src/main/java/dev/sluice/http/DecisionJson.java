package dev.sluice.http;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * A decision as JSON: the members that every edge of Sluice answers with.
 *
 * <p>Milliseconds are rounded up. {@code retryAfterMillis} is null where the request can never
 * pass, {@code binding} where there are no limits; {@code forced} is there only when true, {@code
 * lease} only when permits are held.
 */
public final class DecisionJson {
  // ASCII only: a key may hold an unpaired surrogate, which no encoding but an escape can carry.
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private DecisionJson() {}

  /** The whole document of one decision. */
  public static byte[] bytes(Decision decision) {
    return document(json -> write(decision, json));
  }

  /** The document of several: {@code {"allowed":…,"checks":[…]}}, allowed if all are. */
  public static byte[] bytes(List<Decision> decisions) {
    return document(
        json -> {
          json.writeStartObject();
          writeChecks(decisions, json);
          json.writeEndObject();
        });
  }

  /** Writes one decision as an object. */
  public static void write(Decision decision, JsonGenerator json) {
    json.writeStartObject();
    writeMembers(decision, json);
    json.writeEndObject();
  }

  /** Writes the members of a decision into an object that the caller has opened. */
  public static void writeMembers(Decision decision, JsonGenerator json) {
    json.writeBooleanProperty("allowed", decision.allowed());
    json.writeStringProperty("policy", decision.policy());
    json.writeStringProperty("key", decision.key());
    writeFigures(decision, json);
  }

  /** The members that say nothing of who asked. */
  static void writeFigures(Decision decision, JsonGenerator json) {
    json.writeNumberProperty("cost", decision.cost());
    json.writeName("binding");
    json.writeString(decision.binding().map(Limit::name).orElse(null));
    json.writeNumberProperty("remaining", decision.remaining());
    writeRetryAfter(decision.retryAfterMicros(), json);
    json.writeNumberProperty("resetAfterMillis", ceilMillis(decision.resetAfterMicros()));
    json.writeNumberProperty("waitMillis", ceilMillis(decision.waitMicros()));
    json.writeBooleanProperty("degraded", decision.degraded());
    json.writeBooleanProperty("shadow", decision.shadow());
    if (decision.forced()) {
      json.writeBooleanProperty("forced", true);
    }
    decision.lease().ifPresent(lease -> json.writeStringProperty("lease", lease));
    json.writeArrayPropertyStart("limits");
    for (LimitDecision limit : decision.limits()) {
      writeLimit(limit, json);
    }
    json.writeEndArray();
  }

  /** Writes {@code allowed} and {@code checks} into an object that the caller has opened. */
  static void writeChecks(List<Decision> decisions, JsonGenerator json) {
    json.writeBooleanProperty("allowed", decisions.stream().allMatch(Decision::allowed));
    json.writeArrayPropertyStart("checks");
    for (Decision decision : decisions) {
      write(decision, json);
    }
    json.writeEndArray();
  }

  private static void writeLimit(LimitDecision decided, JsonGenerator json) {
    Limit limit = decided.limit();
    json.writeStartObject();
    json.writeStringProperty("name", limit.name());
    json.writeStringProperty("algorithm", limit.algorithm().id());
    json.writeBooleanProperty("allowed", decided.allowed());
    json.writeNumberProperty("permits", limit.permits());
    json.writeNumberProperty("perMillis", ceilMillis(limit.shownPerMicros()));
    json.writeNumberProperty("capacity", limit.capacity());
    json.writeNumberProperty("remaining", decided.remaining());
    writeRetryAfter(decided.retryAfterMicros(), json);
    json.writeNumberProperty("resetAfterMillis", ceilMillis(decided.resetAfterMicros()));
    json.writeEndObject();
  }

  private static void writeRetryAfter(long micros, JsonGenerator json) {
    if (micros == Decision.NEVER) {
      json.writeNullProperty("retryAfterMillis");
    } else {
      json.writeNumberProperty("retryAfterMillis", ceilMillis(micros));
    }
  }

  static long ceilMillis(long micros) {
    return -Math.floorDiv(-micros, 1_000);
  }

  static byte[] document(Consumer<JsonGenerator> content) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      content.accept(json);
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }
}

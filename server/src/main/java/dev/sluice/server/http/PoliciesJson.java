package dev.sluice.server.http;

import dev.sluice.KeyRule;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.Tier;
import dev.sluice.server.ServerContext;
import dev.sluice.server.config.Rules;
import java.util.List;
import java.util.Locale;
import tools.jackson.core.JsonGenerator;

/** The rules in force, where they came from, and whether a newer file was refused. */
final class PoliciesJson {
  private PoliciesJson() {}

  static void write(ServerContext context, JsonGenerator json) {
    Rules.Status status = context.rules().status();
    json.writeStringProperty("source", status.source());
    json.writeStringProperty("loadedAt", status.loadedAt().toString());
    json.writeStringProperty("store", context.storeName());
    refused(context, json);
    json.writeArrayPropertyStart("policies");
    for (Policy policy : context.sluice().policies()) {
      policy(policy, json);
    }
    json.writeEndArray();
  }

  static void refused(ServerContext context, JsonGenerator json) {
    json.writeName("refused");
    context
        .refusals()
        .now()
        .ifPresentOrElse(failure -> failure(failure, json), () -> json.writeNull());
  }

  private static void failure(Rules.Failure failure, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("at", failure.at().toString());
    json.writeArrayPropertyStart("problems");
    failure.problems().forEach(json::writeString);
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void policy(Policy policy, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("name", policy.name());
    limits(policy.limits(), json);
    json.writeStringProperty("onStoreFailure", word(policy.onStoreFailure()));
    json.writeNumberProperty("nodes", policy.nodes());
    policy
        .deadline()
        .ifPresent(deadline -> json.writeNumberProperty("deadlineMillis", deadline.toMillis()));
    json.writeBooleanProperty("shadow", policy.shadow());
    json.writeStringProperty("tier", word(policy.tier()));
    if (policy.tier() == Tier.LEASED) {
      json.writeNumberProperty("maxLeased", policy.maxLeased());
    }
    json.writeArrayPropertyStart("keys");
    for (KeyRule rule : policy.keys()) {
      json.writeStartObject();
      json.writeStringProperty("pattern", rule.pattern());
      switch (rule.kind()) {
        case DENY -> json.writeBooleanProperty("deny", true);
        case UNLIMITED -> json.writeBooleanProperty("unlimited", true);
        case LIMITS -> limits(rule.limits(), json);
      }
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void limits(List<Limit> limits, JsonGenerator json) {
    json.writeArrayPropertyStart("limits");
    for (Limit limit : limits) {
      json.writeStartObject();
      json.writeStringProperty("name", limit.name());
      json.writeStringProperty("algorithm", limit.algorithm().id());
      json.writeNumberProperty("permits", limit.permits());
      json.writeNumberProperty("perMillis", -Math.floorDiv(-limit.shownPerMicros(), 1_000));
      json.writeNumberProperty("capacity", limit.capacity());
      json.writeStringProperty("text", limit.toString());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}

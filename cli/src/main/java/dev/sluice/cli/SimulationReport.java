package dev.sluice.cli;

import dev.sluice.cli.replay.Replay;
import dev.sluice.cli.replay.Tally;
import java.io.StringWriter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/** What came out of a replay, for people and for programs. */
final class SimulationReport {
  private static final int TOP = 10;
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private SimulationReport() {}

  static String text(Replay replay, long skipped) {
    StringBuilder text = new StringBuilder();
    for (Tally tally : replay.tallies()) {
      text.append(
          String.format(
              Locale.ROOT,
              "policy '%s': %d requests, %d admitted, %d denied (%.2f %%); %d of %d keys limited%n",
              tally.policy(),
              tally.requests(),
              tally.admitted(),
              tally.denied(),
              tally.requests() == 0 ? 0.0 : 100.0 * tally.denied() / tally.requests(),
              tally.limitedKeys(),
              tally.keys()));
      if (tally.delayed() > 0) {
        text.append(
            "  %d delayed, at most %d ms%n".formatted(tally.delayed(), tally.longestWaitMillis()));
      }
      for (Map.Entry<String, Long> key : tally.top(TOP)) {
        text.append("  %8d  %s%n".formatted(key.getValue(), TopCommand.printable(key.getKey())));
      }
    }
    if (skipped > 0) {
      text.append("lines skipped: %d%n".formatted(skipped));
    }
    return text.toString().stripTrailing();
  }

  static String json(Replay replay, long skipped) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeArrayPropertyStart("policies");
      for (Tally tally : replay.tallies()) {
        write(tally, json);
      }
      json.writeEndArray();
      json.writeNumberProperty("skipped", skipped);
      json.writeEndObject();
    }
    return text.toString();
  }

  private static void write(Tally tally, JsonGenerator json) {
    json.writeStartObject();
    json.writeStringProperty("policy", tally.policy());
    json.writeNumberProperty("requests", tally.requests());
    json.writeNumberProperty("admitted", tally.admitted());
    json.writeNumberProperty("denied", tally.denied());
    json.writeNumberProperty("delayed", tally.delayed());
    json.writeNumberProperty("longestWaitMillis", tally.longestWaitMillis());
    json.writeNumberProperty("keys", tally.keys());
    json.writeNumberProperty("limitedKeys", tally.limitedKeys());
    json.writeObjectPropertyStart("deniedBy");
    new TreeMap<>(tally.deniedBy()).forEach(json::writeNumberProperty);
    json.writeEndObject();
    json.writeArrayPropertyStart("top");
    for (Map.Entry<String, Long> key : tally.top(TOP)) {
      json.writeStartObject();
      json.writeStringProperty("key", key.getKey());
      json.writeNumberProperty("denied", key.getValue());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }
}

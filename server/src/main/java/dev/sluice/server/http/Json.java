package dev.sluice.server.http;

import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/** Writes JSON documents. In ASCII, as keys may hold what no encoding can carry. */
final class Json {
  private static final JsonFactory JSON =
      JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private Json() {}

  /** A document of one object, whose members {@code content} writes. */
  static byte[] object(Consumer<JsonGenerator> content) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      content.accept(json);
      json.writeEndObject();
    }
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }
}

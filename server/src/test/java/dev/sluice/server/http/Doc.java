package dev.sluice.server.http;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A JSON document in a test: maps, lists, strings, BigDecimals, booleans and nulls. */
public final class Doc {
  private Doc() {}

  @SuppressWarnings("unchecked")
  public static Map<String, Object> of(HttpResponse<String> response) {
    return (Map<String, Object>) of(response.body());
  }

  public static Object of(String text) {
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), text)) {
      parser.nextToken();
      return value(parser);
    }
  }

  @SuppressWarnings("unchecked")
  public static List<Map<String, Object>> list(Map<String, Object> document, String member) {
    return (List<Map<String, Object>>) document.get(member);
  }

  public static long number(Map<String, Object> document, String member) {
    return ((BigDecimal) document.get(member)).longValueExact();
  }

  /** The document of maps, lists, strings, numbers and booleans. */
  public static String text(Object value) {
    StringWriter out = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), out)) {
      write(json, value);
    }
    return out.toString();
  }

  private static void write(JsonGenerator json, Object value) {
    if (value instanceof Map<?, ?> map) {
      json.writeStartObject();
      map.forEach(
          (name, member) -> {
            json.writeName((String) name);
            write(json, member);
          });
      json.writeEndObject();
    } else if (value instanceof List<?> list) {
      json.writeStartArray();
      list.forEach(item -> write(json, item));
      json.writeEndArray();
    } else if (value instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (value instanceof Number number) {
      json.writeNumber(number.longValue());
    } else {
      json.writeString((String) value);
    }
  }

  private static Object value(JsonParser parser) {
    switch (parser.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          parser.nextToken();
          members.put(name, value(parser));
        }
        return members;
      }
      case START_ARRAY -> {
        List<Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(parser));
        }
        return items;
      }
      case VALUE_STRING -> {
        return parser.getString();
      }
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
        return new BigDecimal(parser.getString());
      }
      case VALUE_TRUE -> {
        return true;
      }
      case VALUE_FALSE -> {
        return false;
      }
      default -> {
        return null;
      }
    }
  }
}

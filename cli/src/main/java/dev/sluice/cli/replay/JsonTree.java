package dev.sluice.cli.replay;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** A JSON document as maps, lists, strings, numbers and booleans. */
public final class JsonTree {
  private static final JsonFactory JSON = new JsonFactory();

  private JsonTree() {}

  /**
   * Reads one object.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static Map<String, @Nullable Object> object(String text) {
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException("must be one JSON object, got something else");
      }
      Map<String, @Nullable Object> members = members(parser);
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("must be one JSON object, got more behind it");
      }
      return members;
    } catch (JacksonException wrong) {
      throw new IllegalArgumentException(
          "must be one JSON object, got what is not JSON: " + wrong.getOriginalMessage(), wrong);
    }
  }

  private static Map<String, @Nullable Object> members(JsonParser parser) {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      members.put(name, value(parser));
    }
    return members;
  }

  private static @Nullable Object value(JsonParser parser) {
    return switch (parser.currentToken()) {
      case START_OBJECT -> members(parser);
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(parser));
        }
        yield items;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new BigDecimal(parser.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }
}

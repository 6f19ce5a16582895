package dev.sluice.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * A JSON object in a request, read strictly: unknown and repeated members, wrong kinds and anything
 * after the end are refused with the member's name.
 */
final class JsonBody {
  // Jackson tells not where it found what is too long for it. In a body of ours nothing is.
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNumberLength(HttpProblems.LARGEST_BODY)
                  .maxNameLength(HttpProblems.LARGEST_BODY)
                  .build())
          .build();
  // An object, its list, the objects in it: nothing that is understood lies deeper.
  private static final int DEEPEST = 3;
  private static final Duration LONGEST = Duration.ofDays(365);
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  /** A number as it was written: one with a fraction or a power of ten is no cost. */
  private record Numeral(String text) {
    boolean isWhole() {
      return text.chars().allMatch(c -> c == '-' || (c >= '0' && c <= '9'));
    }

    boolean isLong() {
      return text.length() - (text.startsWith("-") ? 1 : 0) > Query.MOST_DIGITS;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private final String place;
  private final Map<String, @Nullable Object> members;

  private JsonBody(String place, Map<String, @Nullable Object> members) {
    this.place = place;
    this.members = members;
  }

  static JsonBody parse(byte[] bytes, String... known) {
    return new JsonBody("", root(text(bytes), DEEPEST)).only(known);
  }

  /** The text of an object that somebody else understands, once it is known to be one. */
  static String strict(byte[] bytes, int deepest) {
    String text = text(bytes);
    Map<String, @Nullable Object> unused = root(text, deepest);
    return text;
  }

  /** Jackson would read bytes that are no UTF-8 as other characters, and make two keys one. */
  private static String text(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    } catch (CharacterCodingException notUtf8) {
      throw ProblemException.badRequest("body: must be UTF-8");
    }
  }

  private static Map<String, @Nullable Object> root(String text, int deepest) {
    Object root;
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
      if (parser.nextToken() == null) {
        throw ProblemException.badRequest("body: must be a JSON object, got nothing");
      }
      root = value(parser, 1, deepest);
      if (parser.nextToken() != null) {
        throw ProblemException.badRequest("body: must end after one JSON object");
      }
    } catch (JacksonException wrong) {
      TokenStreamLocation where = wrong.getLocation();
      throw ProblemException.badRequest(
          "body: not JSON, line %d, column %d", where.getLineNr(), where.getColumnNr());
    }
    return object("body", root);
  }

  private static @Nullable Object value(JsonParser parser, int depth, int deepest) {
    JsonToken token = parser.currentToken();
    if (depth > deepest + 1) {
      throw ProblemException.badRequest("body: nesting must be at most %d deep", deepest);
    }
    return switch (token) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          if (members.containsKey(name)) {
            throw ProblemException.badRequest("member '%s': must be there once", Shown.of(name));
          }
          parser.nextToken();
          members.put(name, value(parser, depth + 1, deepest));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          items.add(value(parser, depth + 1, deepest));
        }
        yield items;
      }
      case VALUE_STRING -> parser.getString();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Numeral(parser.getString());
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      default -> null;
    };
  }

  @SuppressWarnings("unchecked") // value() makes no other maps
  private static Map<String, @Nullable Object> object(String what, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw ProblemException.badRequest("%s: must be a JSON object, got %s", what, shown(value));
  }

  private JsonBody only(String... known) {
    for (String name : members.keySet()) {
      if (!List.of(known).contains(name)) {
        throw ProblemException.badRequest(
            "member '%s': unknown, expected one of %s",
            place + Shown.of(name), String.join(", ", known));
      }
    }
    return this;
  }

  /** A text that must be there. */
  String text(String name) {
    return optionalText(name)
        .orElseThrow(() -> ProblemException.badRequest("member '%s': is missing", place + name));
  }

  Optional<String> optionalText(String name) {
    Object value = members.get(name);
    if (value == null && !members.containsKey(name)) {
      return Optional.empty();
    }
    if (value instanceof String text) {
      return Optional.of(text);
    }
    throw wrongKind(name, "a string", value);
  }

  /** A whole number that must be there. */
  long number(String name) {
    if (!members.containsKey(name)) {
      throw ProblemException.badRequest("member '%s': is missing", place + name);
    }
    return number(name, 0);
  }

  long number(String name, long absent) {
    Object value = members.get(name);
    if (value == null && !members.containsKey(name)) {
      return absent;
    }
    // 1.0 and 1e3 are refused too: one way to write a cost is enough.
    if (!(value instanceof Numeral number) || !number.isWhole()) {
      throw wrongKind(name, "a whole number", value);
    }
    if (number.isLong()) {
      throw wrongKind(name, "of at most " + Query.MOST_DIGITS + " digits", value);
    }
    return Long.parseLong(number.text());
  }

  /** A time in milliseconds, from {@code least} to a year. */
  Duration millis(String name, long least, long absent) {
    long millis = number(name, absent);
    if (millis < least || millis > LONGEST.toMillis()) {
      throw wrongKind(name, "from " + least + " to " + LONGEST.toMillis(), members.get(name));
    }
    return Duration.ofMillis(millis);
  }

  boolean flag(String name, boolean absent) {
    Object value = members.get(name);
    if (value == null && !members.containsKey(name)) {
      return absent;
    }
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw wrongKind(name, "true or false", value);
  }

  /** The objects of a list that must be there. */
  List<JsonBody> objects(String name, String... known) {
    if (!(members.get(name) instanceof List<?> items)) {
      throw wrongKind(name, "a list", members.get(name));
    }
    List<JsonBody> objects = new ArrayList<>();
    for (Object item : items) {
      String where = name + "[" + objects.size() + "]";
      objects.add(
          new JsonBody(where + ".", object("member '%s'".formatted(where), item)).only(known));
    }
    return objects;
  }

  private ProblemException wrongKind(String name, String expected, @Nullable Object value) {
    return ProblemException.badRequest(
        "member '%s': must be %s, got %s", place + name, expected, shown(value));
  }

  private static String shown(@Nullable Object value) {
    if (value instanceof String text) {
      return "\"" + Shown.of(text) + "\"";
    }
    if (value instanceof Map) {
      return "an object";
    }
    if (value instanceof List) {
      return "a list";
    }
    return Shown.of(String.valueOf(value));
  }
}

package dev.sluice.http.field;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A strict reader of structured fields: Lists and Dictionaries of Items with parameters (RFC 9651,
 * section 4.2). Either a whole field is read, or nothing of it.
 *
 * <p>Values are {@link Long} (Integer and Date), {@link BigDecimal}, {@link String}, {@link Token},
 * {@link Boolean} and {@code byte[]}. Inner Lists and Display Strings are read over: no rate limit
 * header uses them, but a parameter that is none of our business must not spoil the rest.
 *
 * <p>The one library for this on Maven Central, org.greenbytes.http:structured-fields 0.4, stops at
 * RFC 8941 (no Dates, no Display Strings) and has no module name.
 */
public final class StructuredField {
  /** A value without quotes, such as {@code sugar}. */
  public record Token(String text) {}

  /** A value and its parameters, the last of each name; a Dictionary's member has a key too. */
  public record Item(String key, Object value, Map<String, Object> parameters) {
    /** A parameter or value that is a whole number from 0. */
    public static Optional<Long> count(Object value) {
      return value instanceof Long number && number >= 0 ? Optional.of(number) : Optional.empty();
    }

    /** The parameter of that name where it is a whole number from 0. */
    public Optional<Long> count(String name) {
      return Optional.ofNullable(parameters.get(name)).flatMap(Item::count);
    }
  }

  private static final class Malformed extends Exception {
    private static final long serialVersionUID = 1;

    Malformed(String message) {
      // Thrown for control flow: neither a cause nor a stack is of use to anybody.
      super(message, null, false, false);
    }
  }

  private static final String KEY_CHARS = "_-.*";
  private static final String TOKEN_CHARS = "!#$%&'*+-.^_`|~:/";
  private static final int MOST_CHARS = 16_384;

  private final String text;
  private int at;

  private StructuredField(String text) {
    this.text = text;
  }

  /** Reads a List from all lines of a header; empty where it is malformed. */
  public static Optional<List<Item>> list(List<String> lines) {
    return read(lines, false);
  }

  /** Reads a Dictionary from all lines of a header; empty where it is malformed. */
  public static Optional<List<Item>> dictionary(List<String> lines) {
    return read(lines, true);
  }

  private static Optional<List<Item>> read(List<String> lines, boolean keyed) {
    String joined = String.join(",", lines);
    if (joined.length() > MOST_CHARS) {
      return Optional.empty();
    }
    try {
      return Optional.of(new StructuredField(joined).members(keyed));
    } catch (Malformed malformed) {
      return Optional.empty();
    }
  }

  private List<Item> members(boolean keyed) throws Malformed {
    Map<String, Item> members = new LinkedHashMap<>();
    skip(" ");
    while (at < text.length()) {
      String key = keyed ? key() : Integer.toString(members.size());
      Item member = keyed && !take('=') ? flag(key) : item(key);
      members.remove(key);
      members.put(key, member);
      skip(" \t");
      if (at == text.length()) {
        break;
      }
      expect(',');
      skip(" \t");
      if (at == text.length()) {
        throw new Malformed("trailing comma");
      }
    }
    return new ArrayList<>(members.values());
  }

  private Item flag(String key) throws Malformed {
    return new Item(key, true, parameters());
  }

  private Item item(String key) throws Malformed {
    Object value = peek() == '(' ? innerList() : bareItem();
    return new Item(key, value, parameters());
  }

  private List<Item> innerList() throws Malformed {
    expect('(');
    List<Item> inner = new ArrayList<>();
    while (true) {
      skip(" ");
      if (take(')')) {
        return inner;
      }
      Object value = bareItem();
      inner.add(new Item("", value, parameters()));
      if (peek() != ' ' && peek() != ')') {
        throw new Malformed("inner list");
      }
    }
  }

  private Map<String, Object> parameters() throws Malformed {
    Map<String, Object> parameters = new LinkedHashMap<>();
    while (take(';')) {
      skip(" ");
      String name = key();
      parameters.put(name, take('=') ? bareItem() : true);
    }
    return parameters;
  }

  private String key() throws Malformed {
    int from = at;
    if (!isLower(peek()) && peek() != '*') {
      throw new Malformed("key");
    }
    while (isLower(peek()) || isDigit(peek()) || KEY_CHARS.indexOf(peek()) >= 0) {
      at++;
    }
    return text.substring(from, at);
  }

  private Object bareItem() throws Malformed {
    char first = peek();
    if (first == '-' || isDigit(first)) {
      return number();
    }
    return switch (first) {
      case '"' -> string();
      case ':' -> bytes();
      case '?' -> bool();
      case '@' -> date();
      case '%' -> displayString();
      default -> token();
    };
  }

  private Object number() throws Malformed {
    int from = at;
    take('-');
    int digits = digits();
    if (digits == 0 || digits > 15) {
      throw new Malformed("number");
    }
    if (!take('.')) {
      return Long.valueOf(text.substring(from, at));
    }
    int fraction = digits();
    if (digits > 12 || fraction == 0 || fraction > 3) {
      throw new Malformed("decimal");
    }
    return new BigDecimal(text.substring(from, at));
  }

  private Object date() throws Malformed {
    expect('@');
    if (number() instanceof Long seconds) {
      return seconds;
    }
    throw new Malformed("date");
  }

  private String string() throws Malformed {
    expect('"');
    StringBuilder read = new StringBuilder();
    while (!take('"')) {
      char c = next();
      if (c == '\\') {
        c = next();
        if (c != '"' && c != '\\') {
          throw new Malformed("escape");
        }
      } else if (c < ' ' || c > '~') {
        throw new Malformed("character");
      }
      read.append(c);
    }
    return read.toString();
  }

  /** Checked for its end only: the text itself is of no use here. */
  private String displayString() throws Malformed {
    expect('%');
    return string();
  }

  private byte[] bytes() throws Malformed {
    expect(':');
    int from = at;
    while (peek() != ':') {
      next();
    }
    String encoded = text.substring(from, at++);
    try {
      return Base64.getDecoder().decode(encoded);
    } catch (IllegalArgumentException notBase64) {
      throw new Malformed("byte sequence");
    }
  }

  private Boolean bool() throws Malformed {
    expect('?');
    return switch (next()) {
      case '0' -> false;
      case '1' -> true;
      default -> throw new Malformed("boolean");
    };
  }

  private Token token() throws Malformed {
    int from = at;
    if (!isAlpha(peek()) && peek() != '*') {
      throw new Malformed("token");
    }
    while (isAlpha(peek()) || isDigit(peek()) || TOKEN_CHARS.indexOf(peek()) >= 0) {
      at++;
    }
    return new Token(text.substring(from, at));
  }

  private int digits() {
    int from = at;
    while (isDigit(peek())) {
      at++;
    }
    return at - from;
  }

  /** The next character, or NUL at the end: no rule of the grammar takes NUL. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : '\0';
  }

  private char next() throws Malformed {
    if (at == text.length()) {
      throw new Malformed("end");
    }
    return text.charAt(at++);
  }

  private boolean take(char expected) {
    boolean there = at < text.length() && text.charAt(at) == expected;
    at += there ? 1 : 0;
    return there;
  }

  private void expect(char expected) throws Malformed {
    if (!take(expected)) {
      throw new Malformed("expected " + expected);
    }
  }

  private void skip(String blanks) {
    while (at < text.length() && blanks.indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLower(char c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isAlpha(char c) {
    return isLower(c) || (c >= 'A' && c <= 'Z');
  }
}

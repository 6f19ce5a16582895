package dev.sluice.http.path;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A path in one spelling, so that no other spelling slips past a rule: parameters ({@code ;v=1})
 * are cut, percent-escapes decoded once, backslashes are slashes, empty segments and {@code .} go,
 * {@code ..} goes up and not above the root, and no slash is left at the end. Unicode is composed
 * (NFC). Case is kept, as servers keep it.
 *
 * <p>Not all servers go all of this way, nor do the frameworks behind them. Which slashes count,
 * whether dots are followed, and whether they go up from an empty segment are choices of their own,
 * so one path has several {@link #readings}.
 */
public final class RequestPath {
  private static final Pattern PARAMETERS = Pattern.compile(";[^/]*");

  /** What may be a slash or a part of a name, each whatever the others are. */
  private static final List<Pattern> SLASHES =
      Stream.of("%2[Ff]", "%5[Cc]", "\\\\").map(Pattern::compile).toList();

  private RequestPath() {}

  /** The segments of a path as it was sent; none for the root. */
  public static List<String> segments(String path) {
    String spelling = withoutParameters(path);
    for (Pattern slash : SLASHES) {
      spelling = slash.matcher(spelling).replaceAll("/");
    }
    return followed(named(parts(spelling)));
  }

  /**
   * All lists of segments that a path as it was sent may stand for. Nearly every path has but one:
   * those with a segment of dots, or with a backslash or an escaped slash, have up to 24.
   */
  public static Set<List<String>> readings(String path) {
    String asSent = withoutParameters(path);
    List<String> names = named(parts(asSent));
    if (names.stream().noneMatch(RequestPath::isAmbiguous)) {
      return Set.of(names);
    }
    Set<String> spellings = new LinkedHashSet<>();
    spellings.add(asSent);
    for (Pattern slash : SLASHES) {
      for (String spelling : List.copyOf(spellings)) {
        spellings.add(slash.matcher(spelling).replaceAll("/"));
      }
    }
    Set<List<String>> readings = new LinkedHashSet<>();
    for (String spelling : spellings) {
      List<String> parts = parts(spelling);
      List<String> named = named(parts);
      readings.add(named);
      readings.add(followed(named));
      readings.add(named(followed(parts)));
    }
    return readings;
  }

  private static boolean isAmbiguous(String name) {
    return isDots(name) || name.indexOf('/') >= 0 || name.indexOf('\\') >= 0;
  }

  private static boolean isDots(String name) {
    return name.equals(".") || name.equals("..");
  }

  private static String withoutParameters(String path) {
    return path.indexOf(';') < 0 ? path : PARAMETERS.matcher(path).replaceAll("");
  }

  /** What stands between the slashes of a path, each decoded, also where that is nothing. */
  private static List<String> parts(String path) {
    List<String> parts = new ArrayList<>();
    for (String raw : (path.startsWith("/") ? path.substring(1) : path).split("/", -1)) {
      parts.add(Normalizer.normalize(decode(raw), Normalizer.Form.NFC));
    }
    return parts;
  }

  private static List<String> named(List<String> parts) {
    return parts.stream().filter(part -> !part.isEmpty()).toList();
  }

  private static List<String> followed(List<String> parts) {
    List<String> left = new ArrayList<>();
    for (String part : parts) {
      if (!isDots(part)) {
        left.add(part);
      } else if (part.equals("..") && !left.isEmpty()) {
        left.remove(left.size() - 1);
      }
    }
    return left;
  }

  private static String decode(String text) {
    if (text.indexOf('%') < 0) {
      return text;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int at = 0;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      if (c == '%' && isHex(text, at + 1) && isHex(text, at + 2)) {
        bytes.write(Integer.parseInt(text, at + 1, at + 3, 16));
        at += 3;
      } else {
        bytes.writeBytes(Character.toString(c).getBytes(StandardCharsets.UTF_8));
        at += Character.charCount(c);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static boolean isHex(String text, int at) {
    return at < text.length() && "0123456789abcdefABCDEF".indexOf(text.charAt(at)) >= 0;
  }
}

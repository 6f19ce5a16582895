package dev.sluice.http.path;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collection;
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
    return withoutSlash(followed(folded(parts(spelling))));
  }

  /**
   * All lists of segments that a path as it was sent may stand for. Nearly every path has but one:
   * those with a segment of dots, or with a backslash or an escaped slash, have up to 24. One that
   * ends in a slash has each twice, the second time with an empty segment at the end.
   */
  public static Collection<List<String>> readings(String path) {
    String asSent = withoutParameters(path);
    List<String> folded = folded(parts(asSent));
    if (folded.stream().noneMatch(RequestPath::isAmbiguous)) {
      return endsInSlash(folded) ? List.of(withoutSlash(folded), folded) : List.of(folded);
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
      add(readings, folded(parts));
      add(readings, followed(folded(parts)));
      add(readings, folded(followed(parts)));
    }
    return readings;
  }

  private static void add(Set<List<String>> readings, List<String> segments) {
    readings.add(withoutSlash(segments));
    readings.add(segments);
  }

  /** Whether a path of these segments has a slash at its end. */
  public static boolean endsInSlash(List<String> segments) {
    return !segments.isEmpty() && segments.get(segments.size() - 1).isEmpty();
  }

  private static List<String> withoutSlash(List<String> segments) {
    return endsInSlash(segments) ? segments.subList(0, segments.size() - 1) : segments;
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

  /** Without empty parts, but for one at the end. */
  private static List<String> folded(List<String> parts) {
    List<String> left = new ArrayList<>(parts.size());
    for (int i = 0; i < parts.size(); i++) {
      if (!parts.get(i).isEmpty() || i == parts.size() - 1) {
        left.add(parts.get(i));
      }
    }
    return left;
  }

  /** Without dots; those at the end leave a slash there. */
  private static List<String> followed(List<String> parts) {
    List<String> left = new ArrayList<>(parts.size());
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (part.equals("..") && !left.isEmpty()) {
        left.remove(left.size() - 1);
      }
      if (!isDots(part)) {
        left.add(part);
      } else if (i == parts.size() - 1) {
        left.add("");
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

package dev.sluice.http.path;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;

/**
 * A path in one spelling, so that no other spelling slips past a rule: parameters ({@code ;v=1})
 * are cut, percent-escapes decoded once, backslashes are slashes, empty segments and {@code .} go,
 * {@code ..} goes up and not above the root, and no slash is left at the end. Unicode is composed
 * (NFC). Case is kept, as servers keep it.
 */
public final class RequestPath {
  private RequestPath() {}

  /** The segments of a path as it was sent; none for the root. */
  public static List<String> segments(String path) {
    return resolved(names(path));
  }

  /**
   * What stands between the slashes of a path as it was sent, each decoded. For frameworks that
   * route by this, as Spring does, dots are a name as any other, and an escaped slash is a part of
   * one.
   */
  public static List<String> names(String path) {
    List<String> names = new ArrayList<>();
    for (String raw : path.split("/", -1)) {
      int parameters = raw.indexOf(';');
      String name = decode(parameters < 0 ? raw : raw.substring(0, parameters));
      if (!name.isEmpty()) {
        names.add(Normalizer.normalize(name, Normalizer.Form.NFC));
      }
    }
    return names;
  }

  /** The segments to which names lead, for servers that follow dots and decode slashes. */
  public static List<String> resolved(List<String> names) {
    List<String> segments = new ArrayList<>();
    for (String name : names) {
      for (String segment : name.replace('\\', '/').split("/", -1)) {
        add(segments, segment);
      }
    }
    return segments;
  }

  private static void add(List<String> segments, String segment) {
    if (segment.equals("..")) {
      if (!segments.isEmpty()) {
        segments.remove(segments.size() - 1);
      }
    } else if (!segment.isEmpty() && !segment.equals(".")) {
      segments.add(segment);
    }
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

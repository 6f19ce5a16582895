package dev.sluice.http.path;

import java.util.List;

/**
 * A pattern of paths: {@code /orders/{id}}, {@code /static/*.css}, {@code /api/**}. A star stands
 * for any characters of one segment, a name in braces for one whole segment, and two stars, only at
 * the end, for any number of segments, also none. A star that is the whole last segment stands for
 * nothing too, after a slash, as it does in Spring: {@code /files/*} matches {@code /files/}.
 */
public final class PathPattern {
  private final String text;
  private final List<String> segments;
  private final boolean open;

  private PathPattern(String text, List<String> segments, boolean open) {
    this.text = text;
    this.segments = segments;
    this.open = open;
  }

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if it does not begin with a slash, or is not of that form
   */
  public static PathPattern parse(String text) {
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException(
          "path pattern must begin with '/', got '%s'".formatted(text));
    }
    if (text.indexOf('%') >= 0 || text.indexOf(';') >= 0) {
      throw new IllegalArgumentException(
          "path pattern '%s': must be written decoded, without %% and ;".formatted(text));
    }
    if (text.indexOf('?') >= 0) {
      throw new IllegalArgumentException(
          "path pattern '%s': must not have ?, which stands for nothing here; write *"
              .formatted(text));
    }
    boolean open = text.endsWith("/**");
    List<String> segments =
        RequestPath.segments(open ? text.substring(0, text.length() - 3) : text);
    for (String segment : segments) {
      check(text, segment);
    }
    return new PathPattern(text, List.copyOf(segments), open);
  }

  private static void check(String text, String segment) {
    if (segment.contains("**")) {
      throw new IllegalArgumentException(
          "path pattern '%s': ** must be the last segment".formatted(text));
    }
    if (segment.startsWith("{*")) {
      throw new IllegalArgumentException(
          "path pattern '%s': the rest of a path must be written /**".formatted(text));
    }
    boolean braced = segment.indexOf('{') >= 0 || segment.indexOf('}') >= 0;
    if (braced && !segment.matches("\\{[^{}]+}")) {
      throw new IllegalArgumentException(
          "path pattern '%s': a name in braces must be a whole segment, got '%s'"
              .formatted(text, segment));
    }
  }

  /** Whether the path of these segments matches. */
  public boolean matches(List<String> path) {
    if (open ? path.size() < segments.size() : path.size() != segments.size()) {
      return false;
    }
    for (int i = 0; i < segments.size(); i++) {
      String segment = path.get(i);
      if (segment.isEmpty() ? !endsInStar() : !matches(segments.get(i), segment)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the last segment is a star, which takes a slash at the end for an empty segment. */
  public boolean endsInStar() {
    return !open && !segments.isEmpty() && segments.get(segments.size() - 1).equals("*");
  }

  private static boolean isAny(String pattern) {
    return pattern.startsWith("{") || pattern.equals("*");
  }

  private static boolean matches(String pattern, String segment) {
    if (isAny(pattern)) {
      return true;
    }
    int star = pattern.indexOf('*');
    if (star < 0) {
      return pattern.equals(segment);
    }
    String[] parts = pattern.split("\\*", -1);
    String last = parts[parts.length - 1];
    if (!segment.startsWith(parts[0])
        || !segment.endsWith(last)
        || segment.length() < parts[0].length() + last.length()) {
      return false;
    }
    int from = parts[0].length();
    int end = segment.length() - last.length();
    for (int i = 1; i < parts.length - 1; i++) {
      int found = segment.indexOf(parts[i], from);
      if (found < 0 || found + parts[i].length() > end) {
        return false;
      }
      from = found + parts[i].length();
    }
    return true;
  }

  /** Whether every path that {@code other} matches is matched here too; may miss some cases. */
  public boolean covers(PathPattern other) {
    boolean longEnough =
        open
            ? other.segments.size() >= segments.size()
            : !other.open && other.segments.size() == segments.size();
    for (int i = 0; longEnough && i < segments.size(); i++) {
      String mine = segments.get(i);
      boolean alsoNothing = other.endsInStar() && i == other.segments.size() - 1;
      longEnough = alsoNothing ? endsInStar() : isAny(mine) || mine.equals(other.segments.get(i));
    }
    return longEnough;
  }

  /** The pattern as written. */
  @Override
  public String toString() {
    return text;
  }
}

package dev.sluice.server.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A piece of configuration that knows its line: text, a list, or members by name. */
public sealed interface ConfigNode {
  /** The line it starts on, counted from 1; 0 where there are no lines. */
  int line();

  /**
   * One value, as it was written.
   *
   * @param quoted whether it stood in quotes, or as a block: then it is text, whatever it says
   */
  record Scalar(int line, String text, boolean quoted) implements ConfigNode {
    @Override
    public String toString() {
      return "'" + text + "'";
    }
  }

  /** Several values. */
  record Sequence(int line, List<ConfigNode> items) implements ConfigNode {
    @Override
    public String toString() {
      return "a list";
    }
  }

  /** Values by name, in order. */
  record Mapping(int line, Map<String, Member> members) implements ConfigNode {
    @Override
    public String toString() {
      return "a mapping";
    }
  }

  /** A value and the line of its name. */
  record Member(int line, ConfigNode value) {}

  /**
   * The same for configuration that is already in memory, such as a framework's properties.
   * Anything but maps and lists counts as text.
   */
  static ConfigNode of(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, Member> members = new LinkedHashMap<>();
      map.forEach((name, member) -> members.put(String.valueOf(name), new Member(0, of(member))));
      return new Mapping(0, members);
    }
    if (value instanceof List<?> list) {
      return new Sequence(0, list.stream().map(ConfigNode::of).toList());
    }
    return new Scalar(0, value == null ? "" : value.toString(), value instanceof String);
  }
}

package dev.sluice.server.resp;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The commands by name, and what happens to those that are unknown or fail. */
final class CommandTable {
  private static final int LONGEST_QUOTE = 128;

  // As in Redis: a page must not make its reader's browser send commands behind such a line.
  private static final Set<String> OF_HTTP = Set.of("POST", "HOST:");

  private final Map<String, CommandSpec> specs = new HashMap<>();

  void add(List<CommandSpec> more) {
    more.forEach(spec -> specs.put(spec.name(), spec));
  }

  Collection<CommandSpec> all() {
    return new TreeMap<>(specs).values();
  }

  /** Runs a command; whatever goes wrong is an answer. */
  Answer run(Session session, Command command) {
    try {
      CommandSpec spec = session.last(command);
      if (spec == null) {
        String name = command.name(0);
        spec = specs.get(name);
        if (spec == null) {
          return OF_HTTP.contains(name) ? hangUp(session) : unknown(command);
        }
        session.last(command, spec);
      }
      return spec.run(session, command);
    } catch (RuntimeException failure) {
      return Failure.reply(failure);
    }
  }

  private static Reply hangUp(Session session) {
    session.close();
    return Reply.NONE;
  }

  /** As Redis says it, arguments quoted up to a bound. */
  private static Reply unknown(Command command) {
    StringBuilder args = new StringBuilder();
    for (int i = 1; i < command.size() && args.length() < LONGEST_QUOTE; i++) {
      String word = Printable.of(command.bytes(i));
      int room = Math.min(word.length(), LONGEST_QUOTE - args.length());
      args.append('\'').append(word, 0, room).append("' ");
    }
    return Reply.error(
        "ERR unknown command '%s', with args beginning with: %s"
            .formatted(Printable.of(command.bytes(0)), args));
  }
}

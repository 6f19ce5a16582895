package dev.sluice.server.resp;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A command of the RESP port.
 *
 * @param name in capitals
 * @param least the fewest words that it takes, its name included
 * @param most the most words that it takes
 * @param keyAt where its key stands, 0 if it has none; what takes any number of words has keys only
 *     from there on
 * @param flags as Redis has them: {@code write}, {@code readonly}, {@code fast}
 */
record CommandSpec(
    String name,
    String group,
    int least,
    int most,
    int keyAt,
    List<String> flags,
    String summary,
    Handler handler) {
  /** Does what a command says. Runs on the connection's event loop, so it never blocks. */
  @FunctionalInterface
  interface Handler {
    Answer run(Session session, Command command);
  }

  Answer run(Session session, Command command) {
    if (command.size() < least || command.size() > most) {
      return Reply.error(wrongArity(wireName()));
    }
    return handler.run(session, command);
  }

  static String wrongArity(String command) {
    return "ERR wrong number of arguments for '%s' command".formatted(command);
  }

  /** The name as Redis writes names. */
  String wireName() {
    return name.toLowerCase(Locale.ROOT);
  }

  /** The number of words as Redis tells it: negative where it is only the least. */
  int arity() {
    return least == most ? least : -least;
  }

  /** Where its last key stands as Redis tells it: -1 is the last word. */
  int lastKeyAt() {
    return keyAt > 0 && most == CommandParser.MOST_WORDS ? -1 : keyAt;
  }

  /** What Redis would list it under: its group, what it does to keys, and how long it takes. */
  List<String> categories() {
    List<String> categories = new ArrayList<>();
    categories.add(group.equals("generic") ? "@keyspace" : "@" + group);
    if (flags.contains("write")) {
      categories.add("@write");
    }
    if (flags.contains("readonly")) {
      categories.add("@read");
    }
    categories.add(flags.contains("fast") ? "@fast" : "@slow");
    return categories;
  }
}

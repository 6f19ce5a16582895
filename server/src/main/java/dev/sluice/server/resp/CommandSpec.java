package dev.sluice.server.resp;

import java.util.Locale;

/**
 * A command of the RESP port.
 *
 * @param name in capitals
 * @param least the fewest words that it takes, its name included
 * @param most the most words that it takes
 * @param keyAt where its key stands, 0 if it has none
 */
record CommandSpec(
    String name, String group, int least, int most, int keyAt, String summary, Handler handler) {
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
}

package dev.sluice.server.resp;

import java.util.List;
import java.util.Locale;

/** {@code CLIENT}: what stock clients say about themselves when they connect. */
final class ClientCommand {
  static final String NOT_A_NAME =
      "ERR Client names cannot contain spaces, newlines or special characters.";

  private static final Reply HELP =
      Reply.help(
          "CLIENT",
          "GETNAME",
          "    What this connection is called.",
          "ID",
          "    The number of this connection.",
          "INFO",
          "    What is known of this connection.",
          "LIST",
          "    The same: nothing is told of other connections.",
          "SETNAME <name>",
          "    Calls this connection so.",
          "SETINFO <option> <value>",
          "    Accepted, without effect.",
          "NO-EVICT (ON|OFF)",
          "    Accepted, without effect.",
          "NO-TOUCH (ON|OFF)",
          "    Accepted, without effect.");

  private ClientCommand() {}

  static List<CommandSpec> specs() {
    return List.of(
        new CommandSpec(
            "CLIENT",
            "connection",
            2,
            CommandParser.MOST_WORDS,
            0,
            List.of(),
            "Names a connection, and tells about it",
            ClientCommand::run));
  }

  private static Answer run(Session session, Command command) {
    String subcommand = command.name(1);
    int words =
        switch (subcommand) {
          case "ID", "GETNAME", "INFO", "HELP" -> 2;
          case "SETNAME", "NO-EVICT", "NO-TOUCH" -> 3;
          case "SETINFO" -> 4;
          default -> command.size();
        };
    if (command.size() != words) {
      String name = "client|" + Printable.of(subcommand).toLowerCase(Locale.ROOT);
      return Reply.error(CommandSpec.wrongArity(name));
    }
    return switch (subcommand) {
      case "ID" -> Reply.integer(session.id());
      case "GETNAME" -> name(session);
      case "SETNAME" -> setName(session, command);
      case "INFO", "LIST" -> Reply.bulk(describe(session));
      // Nothing here is evicted or cached, and what library it is makes no difference.
      case "SETINFO", "NO-EVICT", "NO-TOUCH" -> Reply.OK;
      case "HELP" -> HELP;
      default -> ConnectionCommands.unknownSubcommand(command);
    };
  }

  private static Reply name(Session session) {
    String name = session.name();
    return name.isEmpty() ? ReplyWriter::nothing : Reply.bulk(name);
  }

  private static Reply setName(Session session, Command command) {
    String name = command.text(2);
    if (!isName(name)) {
      return Reply.error(NOT_A_NAME);
    }
    session.name(name);
    return Reply.OK;
  }

  static boolean isName(String name) {
    return name.chars().allMatch(c -> c >= '!' && c <= '~');
  }

  /** Other connections are nobody's business: a list has one line. */
  private static String describe(Session session) {
    return String.format(
        Locale.ROOT,
        "id=%d addr=%s name=%s db=0 resp=%d\n",
        session.id(),
        session.address(),
        session.name(),
        session.protocol());
  }
}

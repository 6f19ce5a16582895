package dev.sluice.server.resp;

import dev.sluice.server.AdminToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What clients say about themselves: {@code HELLO}, {@code AUTH}, {@code PING} and the like. */
final class ConnectionCommands {
  private static final String WRONG_PASSWORD =
      "WRONGPASS invalid username-password pair or user is disabled.";
  private static final String NO_PASSWORD =
      "ERR AUTH <password> called without any password configured for the default user."
          + " Are you sure your configuration is correct?";

  private final @Nullable AdminToken password;
  private final ServerFacts facts;

  ConnectionCommands(@Nullable AdminToken password, ServerFacts facts) {
    this.password = password;
    this.facts = facts;
  }

  List<CommandSpec> specs() {
    int most = CommandParser.MOST_WORDS;
    return List.of(
        spec("PING", 1, 2, "Answers PONG, or what it was given", ConnectionCommands::ping),
        spec("ECHO", 2, 2, "Answers what it was given", (s, c) -> Reply.bulk(c.bytes(1))),
        spec("HELLO", 1, most, "Chooses the protocol version", this::hello),
        spec("AUTH", 2, 3, "Gives a password", this::auth),
        spec("SELECT", 2, 2, "There is one database, 0", ConnectionCommands::select),
        spec("RESET", 1, 1, "Forgets what the connection chose", ConnectionCommands::reset),
        spec("QUIT", 1, most, "Closes the connection", ConnectionCommands::quit));
  }

  private static CommandSpec spec(
      String name, int least, int most, String summary, CommandSpec.Handler handler) {
    return new CommandSpec(name, "connection", least, most, 0, List.of("fast"), summary, handler);
  }

  private static Reply ping(Session session, Command command) {
    return command.size() == 1 ? Reply.simple("PONG") : Reply.bulk(command.bytes(1));
  }

  private static Reply select(Session session, Command command) {
    return command.number(1) == 0 ? Reply.OK : Reply.error("ERR DB index is out of range");
  }

  private static Reply reset(Session session, Command command) {
    session.reset();
    return Reply.simple("RESET");
  }

  private static Reply quit(Session session, Command command) {
    session.close();
    return Reply.OK;
  }

  private Reply auth(Session session, Command command) {
    if (command.size() == 2 && password == null) {
      return Reply.error(NO_PASSWORD);
    }
    String user = command.size() == 2 ? "default" : command.text(1);
    return isAllowed(session, user, command.bytes(command.size() - 1))
        ? Reply.OK
        : Reply.error(WRONG_PASSWORD);
  }

  /** Without a password the default user may say anything, as in Redis. */
  private boolean isAllowed(Session session, String user, byte[] given) {
    return user.equals("default")
        && (password == null || password.check(given, session.peer()) == AdminToken.Verdict.RIGHT);
  }

  private Reply hello(Session session, Command command) {
    int protocol = session.protocol();
    String name = session.name();
    if (command.size() > 1) {
      try {
        protocol = Math.toIntExact(command.number(1));
      } catch (NumberFormatException | ArithmeticException notANumber) {
        return Reply.error("ERR Protocol version is not an integer or out of range");
      }
      if (protocol != 2 && protocol != 3) {
        return Reply.error("NOPROTO unsupported protocol version");
      }
    }
    for (int i = 2; i < command.size(); i++) {
      String option = command.name(i);
      if (option.equals("AUTH") && i + 2 < command.size()) {
        if (!isAllowed(session, command.text(i + 1), command.bytes(i + 2))) {
          return Reply.error(WRONG_PASSWORD);
        }
        i += 2;
      } else if (option.equals("SETNAME") && i + 1 < command.size()) {
        name = command.text(++i);
        if (!ClientCommand.isName(name)) {
          return Reply.error(ClientCommand.NOT_A_NAME);
        }
      } else {
        return Reply.error(
            "ERR Syntax error in HELLO option '%s'".formatted(Printable.of(command.bytes(i))));
      }
    }
    session.protocol(protocol);
    session.name(name);
    return greeting(session);
  }

  private Reply greeting(Session session) {
    return out -> {
      out.map(7);
      out.bulk("server");
      out.bulk("sluice");
      out.bulk("version");
      out.bulk(facts.version());
      out.bulk("proto");
      out.integer(session.protocol());
      out.bulk("id");
      out.integer(session.id());
      out.bulk("mode");
      out.bulk("standalone");
      out.bulk("role");
      out.bulk("master");
      out.bulk("modules");
      out.array(0);
    };
  }

  static Reply unknownSubcommand(Command command) {
    return Reply.error(
        "ERR unknown subcommand '%s'. Try %s HELP."
            .formatted(Printable.of(command.bytes(1)), command.name(0)));
  }
}

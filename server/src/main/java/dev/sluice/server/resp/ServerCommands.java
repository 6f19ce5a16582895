package dev.sluice.server.resp;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** {@code INFO}, and {@code COMMAND} with which clients ask what there is. */
final class ServerCommands {
  private static final Reply HELP =
      Reply.help(
          "COMMAND",
          "(no subcommand)",
          "    Each command in detail.",
          "COUNT",
          "    How many commands there are.",
          "LIST",
          "    What they are called.",
          "INFO [<command-name> ...]",
          "    These in detail; without a name, each.",
          "DOCS [<command-name> ...]",
          "    What these do; without a name, each.");

  private final CommandTable table;
  private final ServerFacts facts;

  ServerCommands(CommandTable table, ServerFacts facts) {
    this.table = table;
    this.facts = facts;
  }

  List<CommandSpec> specs() {
    int most = CommandParser.MOST_WORDS;
    return List.of(
        new CommandSpec(
            "INFO", "server", 1, most, 0, List.of(), "Tells about the server", this::info),
        new CommandSpec(
            "COMMAND", "server", 1, most, 0, List.of(), "Lists commands", this::command));
  }

  private Answer info(Session session, Command command) {
    return Reply.bulk(facts.info(names(command, 1)));
  }

  private Answer command(Session session, Command command) {
    if (command.size() == 1) {
      return described(table.all());
    }
    String subcommand = command.name(1);
    if (command.size() > 2 && (subcommand.equals("COUNT") || subcommand.equals("HELP"))) {
      String name = "command|" + subcommand.toLowerCase(Locale.ROOT);
      return Reply.error(CommandSpec.wrongArity(name));
    }
    return switch (subcommand) {
      case "COUNT" -> Reply.integer(table.all().size());
      case "LIST" -> names(table.all());
      case "INFO" -> info(command);
      case "DOCS" -> docs(asked(command));
      case "HELP" -> HELP;
      default -> ConnectionCommands.unknownSubcommand(command);
    };
  }

  private Reply info(Command command) {
    if (command.size() == 2) {
      return described(table.all());
    }
    Map<String, CommandSpec> known =
        table.all().stream().collect(Collectors.toMap(CommandSpec::name, Function.identity()));
    List<String> names = names(command, 2);
    return out -> {
      out.array(names.size());
      for (String name : names) {
        CommandSpec spec = known.get(name);
        if (spec == null) {
          out.nothing();
        } else {
          describe(spec, out);
        }
      }
    };
  }

  private Collection<CommandSpec> asked(Command command) {
    if (command.size() == 2) {
      return table.all();
    }
    List<String> names = names(command, 2);
    return table.all().stream().filter(spec -> names.contains(spec.name())).toList();
  }

  private static List<String> names(Command command, int first) {
    List<String> names = new ArrayList<>();
    for (int i = first; i < command.size(); i++) {
      names.add(command.name(i));
    }
    return names;
  }

  private static Reply names(Collection<CommandSpec> specs) {
    return out -> {
      out.array(specs.size());
      specs.forEach(spec -> out.bulk(spec.wireName()));
    };
  }

  private static Reply described(Collection<CommandSpec> specs) {
    return out -> {
      out.array(specs.size());
      specs.forEach(spec -> describe(spec, out));
    };
  }

  private static void describe(CommandSpec spec, ReplyWriter out) {
    out.array(10);
    out.bulk(spec.wireName());
    out.integer(spec.arity());
    simple(spec.flags(), out);
    // First key, last key, and the step from one to the next.
    out.integer(spec.keyAt());
    out.integer(spec.lastKeyAt());
    out.integer(spec.keyAt() == 0 ? 0 : 1);
    simple(spec.categories(), out);
    // Hints for proxies, other ways to find keys, and subcommands: none is told.
    out.set(0);
    out.set(0);
    out.set(0);
  }

  private static void simple(List<String> words, ReplyWriter out) {
    out.set(words.size());
    words.forEach(out::simple);
  }

  private static Reply docs(Collection<CommandSpec> specs) {
    return out -> {
      out.map(specs.size());
      for (CommandSpec spec : specs) {
        out.bulk(spec.wireName());
        out.map(3);
        out.bulk("summary");
        out.bulk(spec.summary());
        out.bulk("since");
        out.bulk("1.0.0");
        out.bulk("group");
        out.bulk(spec.group());
      }
    };
  }
}

package dev.sluice.cli;

import dev.sluice.Policy;
import dev.sluice.cli.replay.LogEntry;
import dev.sluice.cli.replay.LogFormat;
import dev.sluice.cli.replay.LogLines;
import dev.sluice.cli.replay.Replay;
import dev.sluice.server.config.PolicyFile;
import dev.sluice.server.config.PolicyFileException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice simulate}: what would these policies have done with yesterday's traffic? */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    description = {
      "Replay logs against a policies file, in the logs' own time; no server is needed.",
      "Reads access logs (common, combined, with or without virtual hosts), CSV with the columns",
      "time,key[,cost][,policy], and JSON lines with the same members; also packed by gzip.",
      "Times: ISO 8601 with a zone, or a number since 1970."
    })
final class SimulateCommand implements Callable<Integer> {
  @Option(names = "--config", paramLabel = "FILE", required = true, description = "Policies file.")
  private Path config = Path.of("");

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      description = "Only this policy; all of the file without it.")
  private @Nullable String policy;

  @Option(
      names = "--key",
      paramLabel = "FIELD",
      defaultValue = "host",
      description = "Key in an access log: host or user (default: ${DEFAULT-VALUE}).")
  private String key = "";

  @Option(names = "--json", description = "Print the result as JSON.")
  private boolean json;

  @Parameters(
      arity = "1..*",
      paramLabel = "LOG",
      description = "Log files in the order of their time; - is standard input.")
  private List<String> logs = List.of();

  @Spec private CommandSpec spec = CommandSpec.create();

  private final SkippedLines skipped = new SkippedLines();

  @Override
  public Integer call() throws CommandException {
    if (!key.equals("host") && !key.equals("user")) {
      throw new CommandException("--key: must be host or user, got '%s'".formatted(key));
    }
    Replay replay = replay();
    for (String log : logs) {
      read(log, replay);
    }
    long lines = skipped.count();
    String report =
        json ? SimulationReport.json(replay, lines) : SimulationReport.text(replay, lines);
    spec.commandLine().getOut().println(report);
    skipped.told().forEach(this::note);
    if (replay.late() > 0) {
      note(
          "lines that are more than a minute older than one before them, and so count at its time:"
              + " %d; give the logs in the order of their time".formatted(replay.late()));
    }
    boolean nothing = replay.tallies().stream().allMatch(tally -> tally.requests() == 0);
    return nothing && lines > 0 ? SluiceCommand.ERROR : 0;
  }

  private void note(String text) {
    spec.commandLine().getErr().println("sluice simulate: " + text);
  }

  private Replay replay() throws CommandException {
    List<Policy> all;
    try {
      all = PolicyFile.read(config).policies();
    } catch (PolicyFileException wrong) {
      throw new CommandException(String.valueOf(wrong.getMessage()));
    }
    List<Policy> chosen =
        all.stream().filter(each -> policy == null || each.name().equals(policy)).toList();
    if (chosen.isEmpty() && policy != null) {
      throw new CommandException("%s: no policy '%s'".formatted(config, policy));
    }
    return new Replay(chosen, all.stream().map(Policy::name).collect(Collectors.toSet()));
  }

  private void read(String log, Replay replay) throws CommandException {
    try (InputStream in = log.equals("-") ? System.in : Files.newInputStream(Path.of(log));
        LogLines lines = new LogLines(in)) {
      AtomicReference<@Nullable LogFormat> format = new AtomicReference<>();
      long number = 0;
      for (Optional<byte[]> line = lines.next(); line.isPresent(); line = lines.next()) {
        number++;
        try {
          entry(LogLines.text(line.get()), format).ifPresent(replay::add);
        } catch (IllegalArgumentException wrong) {
          skipped.add(log, number, String.valueOf(wrong.getMessage()));
        }
      }
    } catch (InvalidPathException noName) {
      throw new CommandException("%s: %s".formatted(TopCommand.printable(log), noName.getReason()));
    } catch (IOException unreadable) {
      throw new CommandException(
          "%s: %s".formatted(log, PolicyFile.reason(Path.of(log), unreadable)));
    }
  }

  /** The first line that is of any format tells that of the log. */
  private Optional<LogEntry> entry(String line, AtomicReference<@Nullable LogFormat> format) {
    if (line.isBlank()) {
      return Optional.empty();
    }
    LogFormat known = format.get();
    if (known == null) {
      known = LogFormat.of(line, key);
      format.set(known);
    }
    return known.read(line);
  }
}

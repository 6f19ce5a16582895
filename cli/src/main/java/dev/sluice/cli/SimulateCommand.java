package dev.sluice.cli;

import dev.sluice.Policy;
import dev.sluice.cli.replay.LogEntry;
import dev.sluice.cli.replay.LogFormat;
import dev.sluice.cli.replay.Replay;
import dev.sluice.server.config.PolicyFile;
import dev.sluice.server.config.PolicyFileException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
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
      "Reads access logs (common, combined), CSV with the columns time,key[,cost][,policy],",
      "and JSON lines with the same members. Times: ISO 8601, or a number since 1970."
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

  private long skipped;
  private @Nullable String firstSkipped;

  @Override
  public Integer call() throws CommandException {
    if (!key.equals("host") && !key.equals("user")) {
      throw new CommandException("--key: must be host or user, got '%s'".formatted(key));
    }
    Replay replay = new Replay(policies());
    for (String log : logs) {
      read(log, replay);
    }
    String report =
        json ? SimulationReport.json(replay, skipped) : SimulationReport.text(replay, skipped);
    spec.commandLine().getOut().println(report);
    if (firstSkipped != null) {
      spec.commandLine().getErr().println("sluice simulate: " + firstSkipped);
    }
    boolean nothing = replay.tallies().stream().allMatch(tally -> tally.requests() == 0);
    return nothing && skipped > 0 ? SluiceCommand.ERROR : 0;
  }

  private List<Policy> policies() throws CommandException {
    List<Policy> all;
    try {
      all = PolicyFile.read(config).policies();
    } catch (PolicyFileException wrong) {
      throw new CommandException(String.valueOf(wrong.getMessage()));
    }
    if (policy == null) {
      return all;
    }
    List<Policy> one = all.stream().filter(p -> p.name().equals(policy)).toList();
    if (one.isEmpty()) {
      throw new CommandException("%s: no policy '%s'".formatted(config, policy));
    }
    return one;
  }

  private void read(String log, Replay replay) throws CommandException {
    try (InputStream in = log.equals("-") ? System.in : Files.newInputStream(Path.of(log));
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      LogFormat format = null;
      long number = 0;
      for (String line; (line = lines.readLine()) != null; ) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        format = format == null ? LogFormat.of(line, key) : format;
        replay(log, number, line, format, replay);
      }
    } catch (IOException unreadable) {
      throw new CommandException("%s: cannot be read: %s".formatted(log, unreadable.getMessage()));
    }
  }

  private void replay(String log, long number, String line, LogFormat format, Replay replay) {
    try {
      Optional<LogEntry> entry = format.read(line);
      entry.ifPresent(replay::add);
    } catch (IllegalArgumentException wrong) {
      skipped++;
      if (firstSkipped == null) {
        firstSkipped =
            "%s:%d: skipped, as all lines like it: %s".formatted(log, number, wrong.getMessage());
      }
    }
  }
}

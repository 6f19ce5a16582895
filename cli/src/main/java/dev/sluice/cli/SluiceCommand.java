package dev.sluice.cli;

import java.io.BufferedWriter;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Map;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** {@code sluice}: knows its subcommands, and how they fail. */
@Command(
    name = "sluice",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "A rate limiter: serve it, ask it, check its rules.",
    footer = {
      "",
      "Every option has an environment variable: --http-port is SLUICE_HTTP_PORT;",
      "only bench --store has none.",
      "Exit status: 0 fine, 1 denied or rules with problems, 2 an error."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ServeCommand.class,
      CheckCommand.class,
      ValidateCommand.class,
      SimulateCommand.class,
      TopCommand.class,
      BenchCommand.class,
      AclCommand.class,
      WarmUpCommand.class
    })
final class SluiceCommand implements Runnable {
  /** An error: bad options, files or servers. */
  static final int ERROR = 2;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  /** Runs a command: its result goes to {@code out}, what went wrong to {@code err}. */
  static int run(
      Map<String, String> environment, OutputStream out, PrintWriter err, String... args) {
    Output output = new Output(out);
    CommandLine line = line(environment);
    line.setOut(
        new PrintWriter(
            new BufferedWriter(new OutputStreamWriter(output, encoding("stdout"))), true));
    line.setErr(err);
    int status = line.execute(args);
    line.getOut().flush();
    return output
        .lost()
        .map(why -> error(line, "the output cannot be written: " + why))
        .orElse(status);
  }

  private static CommandLine line(Map<String, String> environment) {
    CommandLine line = new CommandLine(new SluiceCommand());
    CommandLine completion = new CommandLine(new AutoComplete.GenerateCompletion());
    // Its help tells how to call it, by the name that it has itself.
    completion.setCommandName("completion");
    line.addSubcommand("completion", completion);
    // After the subcommands: these reach only those that are there.
    line.setDefaultValueProvider(new EnvironmentDefaults(environment));
    line.setParameterExceptionHandler(SluiceCommand::badParameter);
    line.setExecutionExceptionHandler(SluiceCommand::failed);
    return line;
  }

  /** The encoding of the terminal behind {@code stdout} or {@code stderr}, where there is one. */
  static Charset encoding(String stream) {
    String terminal = System.getProperty("sun.%s.encoding".formatted(stream));
    return terminal == null ? Charset.defaultCharset() : Charset.forName(terminal);
  }

  private static int failed(Exception failure, CommandLine command, ParseResult parsed) {
    if (!(failure instanceof CommandException)) {
      // A defect of ours: whoever reports it needs more than a line.
      failure.printStackTrace(command.getErr());
    }
    return error(command, String.valueOf(failure.getMessage()));
  }

  private static int error(CommandLine command, String message) {
    PrintWriter err = command.getErr();
    err.printf("%s: %s%n", command.getCommandSpec().qualifiedName(), message);
    err.flush();
    return ERROR;
  }

  private static int badParameter(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    String message = String.valueOf(wrong.getMessage()).lines().findFirst().orElse("bad option");
    return error(command, message + " (try --help)");
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}

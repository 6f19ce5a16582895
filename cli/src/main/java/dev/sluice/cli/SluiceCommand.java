package dev.sluice.cli;

import java.io.PrintWriter;
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
      "Every option has an environment variable: --http-port is SLUICE_HTTP_PORT.",
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

  static int run(String... args) {
    CommandLine line = new CommandLine(new SluiceCommand());
    line.addSubcommand("completion", new AutoComplete.GenerateCompletion());
    // After the subcommands: these reach only those that are there.
    line.setDefaultValueProvider(new EnvironmentDefaults(System.getenv()));
    line.setParameterExceptionHandler(SluiceCommand::badParameter);
    line.setExecutionExceptionHandler(SluiceCommand::failed);
    return line.execute(args);
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

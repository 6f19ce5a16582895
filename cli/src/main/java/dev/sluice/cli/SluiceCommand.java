package dev.sluice.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

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
    subcommands = {ServeCommand.class})
final class SluiceCommand implements Runnable {
  /** An error: bad options, files or servers. */
  static final int ERROR = 2;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  static int run(String... args) {
    CommandLine line = new CommandLine(new SluiceCommand());
    line.setDefaultValueProvider(new EnvironmentDefaults(System.getenv()));
    line.setParameterExceptionHandler(SluiceCommand::badParameter);
    line.setExecutionExceptionHandler(
        (failure, command, parsed) -> {
          throw failure;
        });
    return line.execute(args);
  }

  private static int badParameter(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    String message = String.valueOf(wrong.getMessage()).lines().findFirst().orElse("bad option");
    PrintWriter err = command.getErr();
    err.printf("%s: %s (try --help)%n", command.getCommandSpec().qualifiedName(), message);
    err.flush();
    return ERROR;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}

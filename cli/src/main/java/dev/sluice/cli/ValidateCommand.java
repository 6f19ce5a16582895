package dev.sluice.cli;

import dev.sluice.server.config.PolicyFile;
import dev.sluice.server.config.PolicyFileException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice validate}: tells everything that is wrong with policies files. */
@Command(
    name = "validate",
    mixinStandardHelpOptions = true,
    description = {
      "Check policies files without serving them.",
      "Exit 0, or 1 with every problem and its line, or 2 if a file cannot be read."
    })
final class ValidateCommand implements Callable<Integer> {
  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Policies files.")
  private List<Path> files = List.of();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    int worst = 0;
    for (Path file : files) {
      try {
        int policies = PolicyFile.read(file).policies().size();
        out.printf("%s: ok, %d %s%n", file, policies, policies == 1 ? "policy" : "policies");
      } catch (PolicyFileException wrong) {
        err.println(wrong.getMessage());
        worst = Math.max(worst, wrong.unreadable() ? SluiceCommand.ERROR : 1);
      }
    }
    return worst;
  }
}

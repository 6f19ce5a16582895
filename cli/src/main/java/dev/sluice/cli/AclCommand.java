package dev.sluice.cli;

import dev.sluice.redis.Acl;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code sluice acl}: what Redis must allow, and no more. */
@Command(
    name = "acl",
    mixinStandardHelpOptions = true,
    description = "Print the Redis command that makes a user with the least rights it needs.")
final class AclCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public void run() {
    spec.commandLine().getOut().println(Acl.least());
  }
}

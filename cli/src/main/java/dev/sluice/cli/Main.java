package dev.sluice.cli;

/** Where {@code java -jar sluice.jar} starts. */
public final class Main {
  private Main() {}

  /** Runs a command and exits with its status. */
  public static void main(String[] args) {
    System.exit(SluiceCommand.run(args));
  }
}

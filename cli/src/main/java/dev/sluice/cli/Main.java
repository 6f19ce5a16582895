package dev.sluice.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Locale;

/** Where {@code java -jar sluice.jar} starts. */
public final class Main {
  private Main() {}

  /** Runs a command and exits with its status. */
  public static void main(String[] args) {
    // What it writes is English, for programs too: some locales have digits that these do not read.
    Locale.setDefault(Locale.ROOT);
    // Not System.out, which keeps to itself why it could not write.
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    PrintWriter err = new PrintWriter(System.err, true, SluiceCommand.encoding("stderr"));
    System.exit(SluiceCommand.run(System.getenv(), out, err, args));
  }
}

package dev.sluice.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that remembers why it could not be written: a writer for printing only knows that
 * it could not.
 */
final class Output extends OutputStream {
  private final OutputStream out;
  private @Nullable IOException failure;

  Output(OutputStream out) {
    this.out = out;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException full) {
      failure = failure == null ? full : failure;
      throw full;
    }
  }

  /** Why something was lost. Nothing is where the reader had enough, as {@code head} has. */
  Optional<String> lost() {
    return Optional.ofNullable(failure)
        .map(full -> String.valueOf(full.getMessage()))
        .filter(why -> !why.toLowerCase(Locale.ROOT).contains("pipe"));
  }
}

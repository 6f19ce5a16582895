package dev.sluice.redis.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The processes and files of this JVM that must not outlive it.
 *
 * <p>Two nets: a shutdown hook for a JVM that exits, and for one that is killed with SIGKILL a
 * small shell that holds the read end of a pipe from us. The pipe breaks when the JVM is gone,
 * however it went; the shell then kills the pids that were still alive and removes the directory.
 * {@code LeftoversTest} kills a JVM to prove it. Both nets know pids only by record, and a pid is
 * struck off as soon as its process has ended.
 */
final class Leftovers {
  private static final String REAPER =
      """
      trap '' INT TERM HUP
      alive=' '
      while read -r mark pid; do
        case $mark in
          +) alive="$alive$pid " ;;
          -) alive="${alive%%" $pid "*} ${alive#*" $pid "}" ;;
        esac
      done
      for pid in $alive; do kill -9 "$pid"; done
      while [ -e "$1" ]; do rm -rf -- "$1" || sleep 0.1; done
      """;

  private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();
  private static final Path ROOT;
  private static final Process SHELL;

  static {
    try {
      ROOT = Files.createTempDirectory("sluice-testkit-");
      SHELL =
          new ProcessBuilder("/bin/sh", "-c", REAPER, "sluice-testkit-reaper", ROOT.toString())
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      throw new UncheckedIOException("test kit: cannot set up its temporary directory", e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(Leftovers::sweep, "sluice-testkit-sweep"));
  }

  private Leftovers() {}

  /** Starts a process that ends with this JVM at the latest. */
  static Process start(ProcessBuilder builder) throws IOException {
    Process process = builder.start();
    ALIVE.add(process);
    tellReaper('+', process.pid());
    var unused = process.onExit().thenRun(() -> strikeOff(process));
    return process;
  }

  private static void strikeOff(Process process) {
    ALIVE.remove(process);
    tellReaper('-', process.pid());
  }

  /** Makes a directory that is removed with this JVM at the latest. */
  static Path directory(String prefix) {
    try {
      return Files.createTempDirectory(ROOT, prefix);
    } catch (IOException e) {
      throw new UncheckedIOException("test kit: cannot make a directory in " + ROOT, e);
    }
  }

  /** Removes a directory and all that is in it; files that vanish meanwhile are no error. */
  static void remove(Path directory) {
    try {
      Files.walkFileTree(directory, new Remover());
    } catch (NoSuchFileException alreadyRemoved) {
      return;
    } catch (IOException e) {
      throw new UncheckedIOException("test kit: cannot remove " + directory, e);
    }
  }

  private static void tellReaper(char mark, long pid) {
    String line = mark + " " + pid + "\n";
    synchronized (SHELL) {
      try {
        SHELL.getOutputStream().write(line.getBytes(StandardCharsets.US_ASCII));
        SHELL.getOutputStream().flush();
      } catch (IOException e) {
        throw new UncheckedIOException("test kit: the reaper shell is gone", e);
      }
    }
  }

  private static void sweep() {
    ALIVE.forEach(Process::destroyForcibly);
    try {
      for (Process process : ALIVE) {
        process.waitFor(5, TimeUnit.SECONDS);
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    remove(ROOT);
  }

  private static final class Remover extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw e;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e)
        throws IOException {
      if (e != null) {
        throw e;
      }
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}

package dev.sluice.server.config;

import dev.sluice.Policy;
import dev.sluice.Sluice;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rules in force: read once at the start, and again whenever the file has changed. A file with
 * a problem is refused as a whole; the old rules stay, and {@link #status} says so. Safe for use by
 * many threads.
 */
public final class Rules {
  private static final Logger LOG = LoggerFactory.getLogger(Rules.class);

  private final @Nullable Path file;
  private final @Nullable Duration deadline;
  private final PolicyFile atStart;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private volatile Status status;
  private byte[] inForce;
  private byte[] seen;
  private byte @Nullable [] refused;

  /** Hears of every attempt to load changed rules. */
  @FunctionalInterface
  public interface Listener {
    /** The file had changed; it was put in force, or refused. */
    void reloaded(boolean success);
  }

  /**
   * What is known about the rules.
   *
   * @param source the file, or {@code built-in}
   * @param loadedAt when the rules in force were read
   * @param failure why a newer file was refused; empty while file and rules agree
   */
  public record Status(String source, Instant loadedAt, Optional<Failure> failure) {}

  /** A file that was refused, and why: a line for each problem. */
  public record Failure(Instant at, List<String> problems) {}

  private Rules(
      @Nullable Path file, @Nullable Duration deadline, PolicyFile atStart, byte[] inForce) {
    this.file = file;
    this.deadline = deadline;
    this.atStart = atStart;
    this.inForce = inForce;
    this.seen = inForce;
    String source = file == null ? "built-in" : file.toString();
    this.status = new Status(source, Instant.now(), Optional.empty());
  }

  /**
   * Reads the rules for the first time.
   *
   * @param file null for the built-in policies
   * @param deadline for the store, where a policy has none of its own; null leaves it to the store
   * @throws PolicyFileException if the file cannot be read or has a problem
   */
  public static Rules load(@Nullable Path file, @Nullable Duration deadline) {
    if (file == null) {
      PolicyFile builtIn = new PolicyFile(Optional.empty(), DefaultPolicies.with(deadline));
      return new Rules(null, deadline, builtIn, new byte[0]);
    }
    byte[] bytes = PolicyFile.bytes(file);
    return new Rules(file, deadline, PolicyFile.parse(file, bytes, deadline), bytes);
  }

  /** The store that the file named when it was first read; later changes need a restart. */
  public Optional<String> store() {
    return atStart.store();
  }

  /** The policies as they were first read. */
  public List<Policy> policies() {
    return atStart.policies();
  }

  /** What is known about the rules now. */
  public Status status() {
    return status;
  }

  /** Adds a listener. */
  public void listener(Listener listener) {
    listeners.add(listener);
  }

  /** The file, where there is one to watch. */
  public Optional<Path> file() {
    return Optional.ofNullable(file);
  }

  /**
   * Looks at the file, and puts it in force if it has changed and was the same at the last look:
   * one that is being written is left alone until it stands still.
   */
  public synchronized void refresh(Sluice sluice) {
    if (file == null) {
      return;
    }
    byte[] bytes;
    try {
      bytes = PolicyFile.bytes(file);
    } catch (PolicyFileException unreadable) {
      if (status.failure().isEmpty()) {
        refuse(unreadable);
      }
      return;
    }
    boolean still = Arrays.equals(bytes, seen);
    seen = bytes;
    boolean changed = !Arrays.equals(bytes, inForce);
    if (still && (changed || status.failure().isPresent())) {
      load(sluice, file, bytes);
    }
  }

  private void load(Sluice sluice, Path from, byte[] bytes) {
    if (Arrays.equals(bytes, refused)) {
      return;
    }
    try {
      PolicyFile read = PolicyFile.parse(from, bytes, deadline);
      sluice.policies(read.policies());
      inForce = bytes;
      refused = null;
      status = new Status(status.source(), Instant.now(), Optional.empty());
      LOG.info("{}: loaded, {} policies in force", from, read.policies().size());
      listeners.forEach(listener -> listener.reloaded(true));
      if (!read.store().equals(atStart.store())) {
        LOG.warn("{}: store has changed, which needs a restart; the old store stays", from);
      }
    } catch (PolicyFileException wrong) {
      refused = bytes;
      refuse(wrong);
    }
  }

  private void refuse(PolicyFileException wrong) {
    List<String> problems = String.valueOf(wrong.getMessage()).lines().toList();
    status =
        new Status(
            status.source(), status.loadedAt(), Optional.of(new Failure(Instant.now(), problems)));
    LOG.error("policies file refused, the old rules stay:\n{}", wrong.getMessage());
    listeners.forEach(listener -> listener.reloaded(false));
  }
}

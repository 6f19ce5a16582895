package dev.sluice.redis;

import dev.sluice.Algorithm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The scripts, put together from one file for each algorithm: what a call needs and nothing else,
 * so that the server runs through as few definitions as possible. A combination is built once.
 */
final class Scripts {
  /** The commands that the scripts run inside the server: what an ACL has to grant. */
  static final List<String> COMMANDS =
      List.of(
          "exists",
          "get",
          "incrby",
          "llen",
          "lrange",
          "lset",
          "ltrim",
          "mget",
          "pexpire",
          "pttl",
          "rpush",
          "set",
          "time",
          "unlink",
          "zadd",
          "zcount",
          "zincrby",
          "zrange",
          "zrangebyscore",
          "zrem",
          "zremrangebyscore",
          "zrevrange",
          "zscore");

  // Before the name of a file that belongs in this place: a function would be made anew by each
  // call.
  private static final String PART = "-- + ";

  private static final Map<Set<Algorithm>, Script> BUILT = new ConcurrentHashMap<>();

  private Scripts() {}

  /** The script that decides limits of these algorithms. */
  static Script of(Set<Algorithm> algorithms) {
    return BUILT.computeIfAbsent(Set.copyOf(algorithms), some -> Script.of(text(files(some))));
  }

  /** The script that decides many requests at once. */
  static Script batch() {
    return Script.of(text(List.of("start", "batch")));
  }

  /** The text of files, one after the other, with their parts in their places. */
  static String text(List<String> files) {
    return files.stream().map(file -> withParts(read(file))).collect(Collectors.joining());
  }

  /** A file's text with that of others in the place of their names. */
  static String withParts(String text) {
    return text.lines()
        .map(line -> line.strip().startsWith(PART) ? part(line.strip()) : line + "\n")
        .collect(Collectors.joining());
  }

  private static String part(String line) {
    return withParts(read(line.substring(PART.length())));
  }

  /** The files of a combination, in the order in which they use each other. */
  static List<String> files(Set<Algorithm> algorithms) {
    EnumSet<Algorithm> some = EnumSet.copyOf(algorithms);
    List<String> files = new ArrayList<>(List.of("start"));
    if (EnumSet.of(Algorithm.TOKEN_BUCKET, Algorithm.FIXED_WINDOW).containsAll(some)
        || some.equals(EnumSet.of(Algorithm.LEAKY_BUCKET))) {
      // Comes first, so that the most common decision is made before anything is defined.
      files.add("acquire");
    } else if (EnumSet.of(Algorithm.SLIDING_LOG, Algorithm.SLIDING_WINDOW).containsAll(some)) {
      files.add("acquire_hits");
    }
    files.add("prelude");
    for (Algorithm algorithm : some) {
      for (String file : filesOf(algorithm)) {
        if (!files.contains(file)) {
          files.add(file);
        }
      }
    }
    files.addAll(List.of("parse", "seats", "retries", "reservations"));
    files.addAll(List.of("decide", "together", "operations", "changes", "settle"));
    return files;
  }

  /** The compiler lists here what a new algorithm must touch. */
  private static List<String> filesOf(Algorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET -> cells("refill", "token_bucket", "token_bucket_refunds");
      case FIXED_WINDOW -> cells("windows", "fixed_window", "fixed_window_refunds");
      case SLIDING_LOG -> logged("hit_log_postpone", "sliding_log");
      case SLIDING_WINDOW -> logged("arithmetic", "sliding_window_blocks", "sliding_window");
      case LEAKY_BUCKET -> cells("refill", "token_bucket", "token_bucket_refunds", "leaky_bucket");
      case CONCURRENCY -> List.of("leases", "leases_writes", "concurrency");
    };
  }

  private static List<String> cells(String... more) {
    List<String> files = new ArrayList<>(List.of("cells", "cells_writes"));
    files.addAll(List.of(more));
    return files;
  }

  private static List<String> logged(String... more) {
    List<String> files = new ArrayList<>(List.of("hit_log", "hit_log_search", "hit_log_writes"));
    files.addAll(List.of("hit_log_append", "hit_log_refunds"));
    files.addAll(List.of(more));
    return files;
  }

  static String read(String file) {
    try (InputStream in = Scripts.class.getResourceAsStream(file + ".lua")) {
      if (in == null) {
        throw new IllegalStateException("script '%s': not in this jar".formatted(file));
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("script '%s': cannot be read".formatted(file), e);
    }
  }
}

package dev.sluice.bench.redis;

import dev.sluice.redis.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Sluice and its peers on one Redis, each as a ratio to plain SETs: slices of a fraction of a
 * second alternate with slices of SET, subjects follow each other in random order, and of all
 * rounds the median counts. A machine that is slow for a while is slow for all.
 */
public final class RedisLoad {
  // Never denied while it is measured; and few enough that keys live until they are asked again.
  private static final int HOT = 1_000_000_000;
  private static final int EACH = 30_000;
  private static final Duration PER = Duration.ofDays(5);

  private final List<Mode> modes;
  private final int rounds;
  private final long millis;
  private final long warmUpMillis;
  private final List<String> names;
  private final Map<String, Map<Mode, Figures>> figures = new LinkedHashMap<>();

  private RedisLoad(
      List<Mode> modes, int rounds, long millis, long warmUpMillis, List<String> names) {
    this.modes = modes;
    this.rounds = rounds;
    this.millis = millis;
    this.warmUpMillis = warmUpMillis;
    this.names = names;
  }

  /**
   * Arguments, each optional: {@code rounds=5}, {@code millis=250}, {@code warm=3000}, {@code
   * modes=THREADS,…}, {@code only=Sluice,Bucket4j,…}, {@code out=FILE} for the figures as TSV,
   * {@code server=FILE} for a server other than the bundled one; {@code permits} and {@code per},
   * in seconds, for another limit.
   */
  public static void main(String[] args) throws Exception {
    Options options = Options.of(args);
    List<Mode> modes = options.list("modes", List.of()).stream().map(Mode::valueOf).toList();
    RedisLoad load =
        new RedisLoad(
            modes.isEmpty() ? List.of(Mode.values()) : modes,
            options.number("rounds", 5),
            options.number("millis", 250),
            options.number("warm", 3000),
            options.list("only", List.of()));
    try (RedisServer server = RedisServer.on(options.server()).start()) {
      for (Mode mode : load.modes) {
        long permits = options.number("permits", mode.keys == 1 ? HOT : EACH);
        Duration per = Duration.ofSeconds(options.number("per", (int) PER.toSeconds()));
        try (Subjects subjects = new Subjects("127.0.0.1", server.port(), permits, per)) {
          load.run(mode, subjects, server);
        }
        server.command("FLUSHALL");
      }
      load.exactness(server);
    }
    System.out.print(Table.of(load.figures, modes.isEmpty() ? List.of(Mode.values()) : modes));
    options.write("out", Table.tsv(load.figures));
    // Redisson and Lettuce leave threads behind for a while.
    System.exit(0);
  }

  private void run(Mode mode, Subjects subjects, RedisServer server) throws Exception {
    Map<String, Subject> chosen = new LinkedHashMap<>(subjects.all());
    chosen
        .keySet()
        .removeIf(name -> !names.isEmpty() && !names.contains(name) && !name.equals(Subjects.UNIT));
    if (mode.inFlight > 0) {
      chosen.keySet().removeIf(Subjects::blocks);
    }
    Subject unit = subjects.all().get(Subjects.UNIT);
    Random random = new Random();
    try (Load load = new Load(mode.keys, () -> serverCpuNanos(server))) {
      for (String name : chosen.keySet()) {
        // Thirty-two busy threads leave the compiler of a young JVM little time.
        run(load, name, chosen.get(name), mode, warmUpMillis);
      }
      // The first does not count: the compiler learns that subjects take turns.
      for (int round = 0; round <= rounds; round++) {
        List<String> order = new ArrayList<>(chosen.keySet());
        Collections.shuffle(order, random);
        Slice before = load.run(unit, mode, millis);
        for (String name : order) {
          long calls = scriptCalls(server);
          Slice slice = run(load, name, chosen.get(name), mode, millis);
          calls = scriptCalls(server) - calls;
          Slice after = load.run(unit, mode, millis);
          check(name, slice);
          if (round > 0) {
            of(name, mode).add(slice, calls, before, after);
          }
          before = after;
        }
      }
    }
  }

  private static Slice run(Load load, String name, Subject subject, Mode mode, long millis)
      throws Exception {
    try {
      return load.run(subject, mode, millis);
    } catch (IllegalStateException lost) {
      throw new IllegalStateException(name + ": " + lost.getMessage(), lost);
    }
  }

  private static long scriptCalls(RedisServer server) {
    return String.valueOf(server.command("INFO", "commandstats"))
        .lines()
        .filter(line -> line.startsWith("cmdstat_eval"))
        .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+),.*", "$1")))
        .sum();
  }

  private Figures of(String name, Mode mode) {
    return figures
        .computeIfAbsent(name, unknown -> new LinkedHashMap<>())
        .computeIfAbsent(mode, unknown -> new Figures());
  }

  private static void check(String name, Slice slice) {
    if (slice.granted() != slice.asked()) {
      throw new IllegalStateException(
          "%s: must grant all of %d, granted %d".formatted(name, slice.asked(), slice.granted()));
    }
  }

  /** How many of far more requests are granted where 500 may pass; exactly as many, one hopes. */
  private void exactness(RedisServer server) throws Exception {
    long permits = 500;
    for (Mode mode : List.of(Mode.THREADS, Mode.IN_FLIGHT)) {
      server.command("FLUSHALL");
      try (Subjects subjects = new Subjects("127.0.0.1", server.port(), permits, PER);
          Load load = new Load(1, () -> 0L)) {
        for (String name : subjects.all().keySet()) {
          if (!Subjects.unlimited(name) && (names.isEmpty() || names.contains(name))) {
            Slice slice = load.run(subjects.all().get(name), mode, 200);
            System.out.printf(
                "%-24s %-16s granted %d of %d asked, %d may pass%n",
                name, mode.title, slice.granted(), slice.asked(), permits);
            long most = name.equals(Subjects.LEASED) ? permits + permits / 100 : permits;
            if (name.startsWith(Subjects.OURS) && slice.granted() > most) {
              throw new IllegalStateException(name + ": granted more than the limit");
            }
          }
        }
      }
    }
  }

  private static long serverCpuNanos(RedisServer server) {
    double seconds = 0;
    for (String line : String.valueOf(server.command("INFO", "cpu")).lines().toList()) {
      if (line.startsWith("used_cpu_sys:") || line.startsWith("used_cpu_user:")) {
        seconds += Double.parseDouble(line.substring(line.indexOf(':') + 1));
      }
    }
    return (long) (seconds * 1e9);
  }
}

package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Request.Mode;
import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whether the twin tests bite: every mistake of mutants.tsv must be noticed. Takes minutes, so it
 * runs with {@code -Pmutants} only.
 */
class MutantsIT {
  private static final int STEPS = 250;
  private static final int HISTORIES = 5;
  private static final int COALESCED_HISTORIES = 10;

  // Where mistakes show with the largest and the smallest of numbers only.
  private static final Set<String> EXTREME =
      Set.of(
          "refill",
          "fixed_window",
          "windows",
          "retries",
          "bucket_room",
          "bucket_take",
          "bucket_value",
          "cells_room",
          "cells_take",
          "acquire_hits_ask",
          "cell");

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  static List<Mutant> mutants() {
    return Mutant.all();
  }

  @ParameterizedTest
  @MethodSource("mutants")
  void isNoticed(Mutant mutant) {
    assertThat(notices(mutant.file(), mutant::applyTo)).as("%s", mutant).isTrue();
  }

  /** Otherwise everything would be noticed. */
  @Test
  void scriptsAsTheyAreAreNot() {
    for (String file : List.of("acquire", "batch", "windows", "leases", "hit_log", "arithmetic")) {
      assertThat(notices(file, UnaryOperator.identity())).as(file).isFalse();
    }
  }

  private static boolean notices(String file, UnaryOperator<String> change) {
    if (file.startsWith("batch")) {
      return noticesCoalesced(change);
    }
    if (file.matches("start|acquire|cells?|cell_.*|(cells|bucket)_(room|take|value|writes)")
        && noticesCoalesced(change)) {
      return true;
    }
    try (Twin twin = new Twin(server, change)) {
      for (int seed = 0; seed < histories(file); seed++) {
        for (TwinCase plans : casesOf(file)) {
          for (Set<Mode> modes : List.of(EnumSet.allOf(Mode.class), EnumSet.of(Mode.ACQUIRE))) {
            if (twin.firstDifference(seed, plans.plans(), modes, STEPS) != null) {
              return true;
            }
          }
        }
      }
      return FullMemory.firstDifference(server, change) != null
          || RealTime.firstDifference(server, change) != null
          || (file.startsWith("acquire_hits")
              && LongLogsTest.firstDifference(server, change) != null)
          || (file.equals("leases_writes")
              && ManyLeasesTest.firstDifference(server, change) != null)
          || (file.equals("arithmetic") && ArithmeticTest.firstDifference(server, change) != null);
    } catch (UncheckedIOException endless) {
      // A script that never ends is noticed, too; the server must be ended with it.
      server.kill9();
      server.restart();
      return true;
    } catch (RuntimeException unreadable) {
      return true;
    }
  }

  /** Quick ways are left for what is rare, so that mistakes there show in more histories only. */
  private static int histories(String file) {
    return file.startsWith("acquire_hits") ? 4 * HISTORIES : HISTORIES;
  }

  private static boolean noticesCoalesced(UnaryOperator<String> change) {
    try (CoalescedTwin twin = new CoalescedTwin(server, change)) {
      for (int seed = 0; seed < COALESCED_HISTORIES; seed++) {
        if (twin.firstDifference(seed) != null) {
          return true;
        }
      }
      return StrangeBatches.firstDifference(server, change) != null
          || RealTime.firstDifference(server, change) != null
          || Terms.firstDifference(server, change) != null;
    } catch (RuntimeException | AssertionError unreadable) {
      return true;
    }
  }

  /** The histories that come by a script, the nearest first. */
  private static List<TwinCase> casesOf(String file) {
    List<TwinCase> cases = new ArrayList<>();
    switch (file) {
      case "acquire",
          "bucket_room",
          "bucket_take",
          "bucket_value",
          "cells_room",
          "cells_take",
          "acquire_save",
          "cell",
          "cell_bucket",
          "cell_window" -> {
        cases.addAll(TwinCase.tokenBuckets());
        cases.addAll(TwinCase.leakyBuckets());
        cases.addAll(TwinCase.fixedWindows());
      }
      case "windows", "fixed_window", "fixed_window_refunds" -> {
        cases.addAll(TwinCase.fixedWindows());
        cases.addAll(TwinCase.calendarWindows());
      }
      case "leaky_bucket" -> cases.addAll(TwinCase.leakyBuckets());
      case "leases", "leases_writes", "concurrency" -> cases.addAll(TwinCase.concurrency());
      case "reservations", "operations", "changes", "settle" ->
          cases.addAll(TwinCase.concurrency());
      case "sliding_window", "sliding_window_blocks", "arithmetic" ->
          cases.addAll(TwinCase.slidingWindows());
      case "sliding_log", "hit_log_postpone" -> cases.addAll(TwinCase.slidingLogs());
      case "acquire_hits",
          "acquire_hits_ask",
          "acquire_hits_take",
          "hit_log",
          "hit_log_search",
          "hit_log_writes",
          "hit_log_append",
          "hit_log_refunds" -> {
        cases.addAll(TwinCase.slidingLogs());
        cases.addAll(TwinCase.slidingWindows());
      }
      case "cells", "cells_writes" -> {
        cases.add(TwinCase.otherLimits());
        cases.addAll(TwinCase.fixedWindows());
      }
      case "decide", "parse", "parse_seat" -> cases.addAll(TwinCase.calendarWindows());
      default -> {}
    }
    cases.addAll(TwinCase.mixed());
    cases.addAll(TwinCase.tokenBuckets());
    if (EXTREME.contains(file)) {
      cases.addAll(TwinCase.extremes());
    }
    return cases;
  }
}

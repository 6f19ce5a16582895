package dev.sluice.redis;

import dev.sluice.Algorithm;
import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.Store;
import dev.sluice.algorithm.FixedWindow;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** What the calls of a plan have in common, encoded once. */
final class Prepared {
  final Plan plan;
  final Set<Algorithm> algorithms;
  final Script script;
  // The limits by letter and name: as they stand in the value of buckets and windows, where plain.
  final byte[] ids;
  final byte @Nullable [] policyTag;
  final List<byte[]> suffixes;
  // Twice the longest time after which nothing of a charge is left, as in the memory store.
  final long memoryMicros;
  private final List<List<byte[]>> args;
  // The numbers of all limits that are sent together.
  final byte[] rules;
  // Whether batch.lua decides it, which knows plain buckets and windows only.
  final boolean plain;
  // Whether all there is to it is one plain bucket without a name.
  final boolean bucketAlone;
  // Whether a script has a quick way for it.
  final boolean quick;
  // How far ahead a request may pass by the limits' own delay.
  private final long delayMicros;

  Prepared(Plan plan) {
    List<Limit> limits = plan.limits();
    this.plan = plan;
    this.algorithms =
        limits.stream()
            .map(Limit::algorithm)
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(Algorithm.class)));
    this.script = Scripts.of(algorithms);
    this.ids = text(limits.stream().map(Prepared::id).collect(Collectors.joining(",", "", "\n")));
    this.plain = limits.stream().map(Prepared::letter).allMatch("tf"::contains);
    this.bucketAlone = Arrays.equals(ids, text("t\n"));
    boolean hits = limits.stream().map(Prepared::letter).allMatch("lw"::contains);
    this.quick = plain || hits || (limits.size() == 1 && letter(limits.get(0)).equals("b"));
    this.policyTag = KeyCodec.policyTag(plan.policy());
    this.suffixes = suffixes(limits);
    this.memoryMicros = 2 * limits.stream().mapToLong(Limit::windowMicros).max().orElseThrow();
    this.args = limits.stream().map(Prepared::args).toList();
    this.rules =
        packed(
            limits.stream()
                .filter(Prepared::isPacked)
                .flatMapToLong(Prepared::fourNumbers)
                .boxed()
                .toList());
    this.delayMicros =
        limits.stream()
            .filter(limit -> limit.algorithm() == Algorithm.LEAKY_BUCKET)
            .mapToLong(Limit::windowMicros)
            .max()
            .orElse(0);
  }

  /** What a store prepared for a plan, now or before. */
  static Prepared of(Plan plan, Store store) {
    return (Prepared) plan.bound(store, Prepared::new);
  }

  /** One for each limit with a key of its own, and one for all that lie in one value. */
  private static List<byte[]> suffixes(List<Limit> limits) {
    List<byte[]> suffixes = new ArrayList<>();
    boolean cells = false;
    for (Limit limit : limits) {
      byte[] suffix = KeyCodec.suffix(limit);
      if (suffix.length > 0 || !cells) {
        suffixes.add(suffix);
      }
      cells |= suffix.length == 0;
    }
    return List.copyOf(suffixes);
  }

  private static String id(Limit limit) {
    return letter(limit) + KeyCodec.listedName(limit);
  }

  /** What parse.lua calls a limit: its arguments follow in the order of {@link #args}. */
  private static String letter(Limit limit) {
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET -> isPlain(limit) ? "t" : "T";
      case FIXED_WINDOW -> limit.unit() == null ? "f" : "F";
      case SLIDING_LOG -> "l";
      case SLIDING_WINDOW -> "w";
      case LEAKY_BUCKET -> "b";
      case CONCURRENCY -> "c";
    };
  }

  private static boolean isPlain(Limit limit) {
    return limit.refill() == Limit.Refill.SMOOTH
        && limit.initial() == limit.capacity()
        && !limit.borrows();
  }

  /** Whether its four numbers are sent together with those of others. */
  private static boolean isPacked(Limit limit) {
    return "tfblw".contains(letter(limit));
  }

  /** As Lua keeps them: a server reads one such argument faster than many texts. */
  static byte[] packed(List<Long> numbers) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Double.BYTES * numbers.size()).order(ByteOrder.LITTLE_ENDIAN);
    for (long number : numbers) {
      bytes.putDouble((double) number);
    }
    return bytes.array();
  }

  /** The numbers of all limits behind a cost, as the quick ways have them. */
  byte[] rules(long cost) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Double.BYTES + rules.length).order(ByteOrder.LITTLE_ENDIAN);
    return bytes.putDouble((double) cost).put(rules).array();
  }

  /** All below 2^53, so doubles hold them. */
  private static LongStream fourNumbers(Limit limit) {
    long per = limit.perMicros();
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET, LEAKY_BUCKET ->
          LongStream.of(limit.capacity(), limit.cyclePermits(), limit.cycleMicros(), per);
      case FIXED_WINDOW -> {
        long rolls = limit.align() == Limit.Align.FIRST_REQUEST ? 1 : 0;
        yield LongStream.of(limit.permits(), 0, rolls, per);
      }
      case SLIDING_WINDOW -> LongStream.of(limit.permits(), per, limit.precisionMicros(), 0);
      case SLIDING_LOG, CONCURRENCY -> LongStream.of(limit.permits(), per, 0, 0);
    };
  }

  private static List<byte[]> args(Limit limit) {
    long per = limit.perMicros();
    if (isPacked(limit)) {
      return List.of();
    }
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET -> {
        long used = limit.capacity() - limit.initial();
        long smooth = limit.refill() == Limit.Refill.SMOOTH ? 1 : 0;
        long largest = limit.borrows() ? limit.largestCost() : 0;
        yield numbers(
            limit.capacity(),
            limit.cyclePermits(),
            limit.cycleMicros(),
            per,
            used,
            smooth,
            largest);
      }
      default -> numbers(limit.permits(), per);
    };
  }

  /**
   * The arguments of each limit.
   *
   * @param around the instant around which the starts of calendar windows are sent
   * @param ahead how many windows are booked ahead of it
   * @param id names what is taken from a concurrency limit
   */
  void addTo(List<byte[]> out, long maxWait, @Nullable String id, long around, long ahead) {
    boolean sent = false;
    for (int i = 0; i < args.size(); i++) {
      Limit limit = plan.limits().get(i);
      if (!sent && isPacked(limit)) {
        out.add(rules);
        sent = true;
      }
      out.addAll(args.get(i));
      if (limit.algorithm() == Algorithm.CONCURRENCY) {
        out.add(text(id == null ? "" : id));
      }
      CalendarUnit unit = limit.unit();
      if (unit != null) {
        long horizon = Math.min(maxWait + delayMicros, FixedWindow.INSTANCE.reach(limit, 0));
        addStarts(out, limit, unit, horizon, around, ahead);
      }
    }
  }

  /** Only Java knows the calendar: where windows start, from one before to three after. */
  private static void addStarts(
      List<byte[]> out, Limit limit, CalendarUnit unit, long horizon, long around, long ahead) {
    // A clock that stepped back finds charges up to two windows in its future.
    long after = ahead == 0 ? 3 : ahead + 5;
    List<Long> starts = new ArrayList<>();
    for (long i = -1 - ahead, beyond = 0; beyond < after; i++) {
      long start = unit.startMicros(around, limit.zone(), i);
      starts.add(start);
      beyond += start > around + horizon ? 1 : 0;
    }
    out.addAll(numbers(horizon, starts.size()));
    starts.forEach(start -> out.add(text(start.toString())));
  }

  private static List<byte[]> numbers(long... values) {
    return LongStream.of(values)
        .mapToObj(value -> text(Long.toString(value)))
        .collect(Collectors.toCollection(ArrayList::new));
  }

  static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

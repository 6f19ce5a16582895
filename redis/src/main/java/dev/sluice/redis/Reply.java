package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.LimitDecision;
import dev.sluice.Request;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what decide.lua answers: the server's clock, then for each request what kind of answer it
 * is and the wait, and for each of its limits the retry time, what remains and the time to the
 * reset. Or what acquire.lua found, in one element.
 */
final class Reply {
  // Kinds of answers.
  private static final long FORCED = 1;
  private static final long UNKNOWN = 2;

  // An undecided reply: the clock, and how many windows are booked ahead of it.
  private static final int UNDECIDED_LENGTH = 2;

  // What Lua can tell exactly, far beyond any clock; and more windows than can be booked ahead.
  private static final long LATEST_MICROS = 1L << 53;
  private static final long MOST_WINDOWS = 1 << 20;

  private Reply() {}

  /**
   * Whether the script had no use for the starts of calendar windows that came with the call, for
   * the clocks differ or bookings go far ahead. Nothing was changed: {@link Call#again}.
   */
  static boolean undecided(List<Object> reply) {
    return reply.size() == UNDECIDED_LENGTH;
  }

  /** The server's clock. */
  static long nowMicros(List<Object> reply) {
    return upTo(LATEST_MICROS, (Long) reply.get(0));
  }

  static long windowsAhead(List<Object> reply) {
    return upTo(MOST_WINDOWS, (Long) reply.get(1));
  }

  private static long upTo(long most, long told) {
    if (told < 0 || told > most) {
      throw new IllegalStateException("must be from 0 to %d, got %d".formatted(most, told));
    }
    return told;
  }

  /** The answers, in the order of the requests. */
  static List<Decision> decode(List<Request> requests, List<Object> reply) {
    if (reply.get(0) instanceof byte[]) {
      return List.of(found(requests.get(0), Cells.numbers(reply.get(0))));
    }
    long now = nowMicros(reply);
    List<Decision> decisions = new ArrayList<>(requests.size());
    int next = 1;
    for (Request request : requests) {
      long kind = (Long) reply.get(next);
      long wait = (Long) reply.get(next + 1);
      next += 2;
      List<Limit> limits = request.plan().limits();
      LimitDecision[] each = new LimitDecision[limits.size()];
      boolean allowed = true;
      for (int i = 0; i < each.length; i++, next += 3) {
        long retry = kind == UNKNOWN ? Decision.NEVER : (Long) reply.get(next);
        allowed &= retry == 0;
        each[i] =
            new LimitDecision(
                limits.get(i),
                retry == 0,
                (Long) reply.get(next + 1),
                retry,
                (Long) reply.get(next + 2));
      }
      decisions.add(Decision.of(request, allowed, each, wait, now + wait, kind == FORCED));
    }
    if (next != reply.size()) {
      throw new IllegalStateException(
          "reply must have %d numbers, got %d".formatted(next, reply.size()));
    }
    return decisions;
  }

  private static Decision found(Request request, ByteBuffer numbers) {
    long now = Cells.number(numbers);
    long taken = Cells.number(numbers);
    Cells cells = Cells.read(request.plan(), now, numbers);
    Decision decision = cells.decide(request);
    cells.check(taken);
    return decision;
  }
}

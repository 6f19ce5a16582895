package dev.sluice.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what batch.lua answers: the server's clock, then what it found for each group. */
final class BatchReply {
  // From here on values of buckets alone are told, as in start.lua; what their last four digits
  // are is in cells.lua.
  private static final long EPOCH_MICROS = 1_577_836_800_000_000L;
  private static final long DIGITS = 10_000;
  private static final long TERM = 400;

  private final List<Object> reply;
  private final ByteBuffer bytes;
  private final long now;
  private long taken;
  private @Nullable Cells cells;

  BatchReply(List<Object> reply) {
    this.reply = reply;
    this.bytes = Cells.numbers(reply.get(0));
    this.now = Cells.number(bytes);
  }

  long now() {
    return now;
  }

  /**
   * Reads on.
   *
   * @param asked the permits that the next group asked for, all its requests together
   * @return why that group was not decided, or null if it was
   */
  @Nullable String next(Prepared plan, long asked) {
    if (bytes.get() != '\n') {
      throw new IllegalStateException("group must start on a line of its own");
    }
    taken = plan.bucketAlone ? line(plan, asked) : Cells.number(bytes);
    if (taken < 0) {
      return new String((byte[]) reply.get((int) -taken), StandardCharsets.UTF_8);
    }
    if (!plan.bucketAlone) {
      cells = Cells.read(plan.plan, now, bytes);
    }
    return null;
  }

  /** The permits taken by the group that was read last. */
  long taken() {
    return taken;
  }

  /** The cells of the group that was read last. */
  Cells cells() {
    if (cells == null) {
      throw new IllegalStateException("nothing was read");
    }
    return cells;
  }

  private long line(Prepared plan, long asked) {
    if (atEnd()) {
      cells = Cells.of(plan.plan, now, now, 0);
      return asked;
    }
    long first = number();
    if (first < 0) {
      return first;
    }
    if (atEnd()) {
      cells = Cells.of(plan.plan, now, first / DIGITS + EPOCH_MICROS, first % DIGITS % TERM);
      return asked;
    }
    skip();
    long t = number();
    skip();
    cells = Cells.of(plan.plan, now, t, number());
    return first;
  }

  private boolean atEnd() {
    return !bytes.hasRemaining() || bytes.get(bytes.position()) == '\n';
  }

  private void skip() {
    if (bytes.get() != ' ') {
      throw new IllegalStateException("number must end with a space");
    }
  }

  private long number() {
    boolean negative = bytes.get(bytes.position()) == '-';
    if (negative) {
      bytes.get();
    }
    int start = bytes.position();
    long number = 0;
    while (bytes.hasRemaining() && digit(bytes.get(bytes.position()))) {
      number = Math.addExact(Math.multiplyExact(number, 10), bytes.get() - '0');
    }
    if (bytes.position() == start) {
      throw new IllegalStateException("number must have digits");
    }
    return negative ? -number : number;
  }

  private static boolean digit(byte some) {
    return some >= '0' && some <= '9';
  }
}

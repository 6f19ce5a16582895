package dev.sluice.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what batch.lua answers: the server's clock, then what it found for each group. */
final class BatchReply {
  // What the number of a bucket alone says, as in cells.lua: t in rounds, then a term and u.
  private static final long CODES = 16_384;
  private static final long USED = 512;
  private static final long ROUND = 1L << 40;
  private static final long HALF = 1L << 39;

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
    if (bytes.get(bytes.position()) == '!') {
      bytes.get();
      return -number();
    }
    long first = number();
    if (atEnd()) {
      long t = now + Math.floorMod(Math.floorDiv(first, CODES) - now + HALF, ROUND) - HALF;
      cells = Cells.of(plan.plan, now, t, Math.floorMod(first, USED));
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

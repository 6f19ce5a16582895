package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Plan;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A denial that is repeated for a while. From {@link #askAt} on one caller asks the store again;
 * the others go on being denied until {@link #end}. Times are nanoseconds of this process.
 */
final class Denial {
  private final Question question;
  private final Decision said;
  private final long received;
  private final long askAt;
  private final long end;
  private final boolean pausing;
  private final AtomicBoolean asking = new AtomicBoolean();

  private Denial(
      Question question, Decision said, long received, long askAt, long end, boolean pausing) {
    this.question = question;
    this.said = said;
    this.received = received;
    this.askAt = askAt;
    this.end = end;
    this.pausing = pausing;
  }

  /**
   * Repeated until its retry time. After three quarters of {@code most} somebody asks again; where
   * that is never answered, not even by a failure, it ends by itself.
   */
  static Denial exact(Question question, Decision said, long received, long most) {
    long sent = question.sent();
    long askAt = sent + retryNanos(said, most * 3 / 4);
    return new Denial(question, said, received, askAt, sent + retryNanos(said, 10 * most), false);
  }

  /**
   * Repeated until its retry time or for a pause, whichever is longer, and up to {@code most} while
   * somebody asks.
   */
  static Denial pausing(
      Question question, Decision said, long received, long most, long pauseNanos) {
    long retry = Math.max(retryNanos(said, most), pauseNanos);
    long sent = question.sent();
    return new Denial(
        question, said, received, sent + Math.min(retry, most * 3 / 4), sent + most, true);
  }

  private static long retryNanos(Decision said, long most) {
    // Compared as microseconds first: a retry time may be years.
    return said.retryAfterMicros() >= most / 1_000 ? most : said.retryAfterMicros() * 1_000;
  }

  /** The same, asked again from another instant on. */
  Denial askedAgainAt(long instant) {
    return new Denial(question, said, received, instant, end, pausing);
  }

  boolean answers(Plan plan, String key, long cost) {
    return question.asks(plan, key, cost);
  }

  boolean isOver(long now, int epoch) {
    return now - end >= 0 || question.epoch() != epoch;
  }

  boolean endsBefore(Denial other) {
    return end - other.end < 0;
  }

  /** The denial as it is now; null for the one caller who asks again. */
  @Nullable Decision answer(long now) {
    if (now - askAt >= 0 && asking.compareAndSet(false, true)) {
      return null;
    }
    // Counted from when the answer came: the store decided before, so nobody is told too little.
    long elapsed = Math.max(0, now - received) / 1_000;
    long untilAsked = pausing ? (askAt - now + 999) / 1_000 : 0;
    return said.later(elapsed, Math.max(1, untilAsked));
  }
}

package dev.sluice.spring.config;

import dev.sluice.Limit;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * One limit, in the words of a policies file; what is absent has the default of its algorithm.
 *
 * @param text The short form of a token bucket, such as 10/s burst 20, instead of all others.
 * @param name Names the limit in headers, metrics and answers.
 * @param algorithm How it counts: token-bucket (or gcra), fixed-window, counter, sliding-log,
 *     sliding-window, leaky-bucket or concurrency.
 * @param permits Permits in each period; for concurrency, permits held at once.
 * @param per The period, such as 1s, or day, week, month or year for a calendar window.
 * @param burst Tokens that a full bucket holds; as many as permits by default.
 * @param initial Tokens that a key never seen starts with; a full bucket by default.
 * @param refill How tokens come back: smooth (default) or interval.
 * @param borrow Whether a request may take more than there is, and those after it wait.
 * @param align Where a fixed window starts: epoch (default), first-request or a calendar unit.
 * @param zone The time zone of a calendar window; UTC by default.
 * @param precision The length of a block of a sliding window; the whole period by default.
 * @param queue How many may wait in a leaky bucket; none by default.
 * @param lease How long a concurrency permit is held at most; a minute by default.
 */
public record LimitProperties(
    @Nullable String text,
    @Nullable String name,
    @Nullable String algorithm,
    @Nullable Long permits,
    @Nullable String per,
    @Nullable Long burst,
    @Nullable Long initial,
    Limit.@Nullable Refill refill,
    @Nullable Boolean borrow,
    @Nullable String align,
    @Nullable ZoneId zone,
    @Nullable Duration precision,
    @Nullable Long queue,
    @Nullable Duration lease) {

  /** Where a limit is written as one text, the binder asks for it here. */
  public static LimitProperties valueOf(String text) {
    return new LimitProperties(
        text, null, null, null, null, null, null, null, null, null, null, null, null, null);
  }
}

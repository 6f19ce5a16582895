package dev.sluice;

import java.math.BigInteger;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One rule: an algorithm, so many permits in so much time, and the algorithm's own extras.
 *
 * <p>Immutable: every setter returns a new limit. A value that is wrong by itself is refused by its
 * setter; rules between fields are checked when a {@link Policy} is made, so the order of setters
 * does not matter. Times are whole microseconds.
 *
 * <pre>{@code
 * Limit burst = Limit.tokenBucket(10, Duration.ofSeconds(1)).burst(20);
 * Limit hourly = Limit.slidingWindow(240, Duration.ofHours(1)).precision(Duration.ofMinutes(1));
 * }</pre>
 */
public final class Limit {
  /** The most permits that a limit can have: 2^40, far beyond any use, and exact everywhere. */
  public static final long MOST_PERMITS = 1L << 40;

  /** The most permits that a sliding log can have: each hit is remembered. */
  public static final long MOST_LOGGED_PERMITS = 1L << 22;

  /** The longest period: ten years. */
  public static final Duration LONGEST_PERIOD = Duration.ofDays(3_653);

  /** The most blocks that a sliding window can be cut into. */
  public static final long MOST_BLOCKS = 10_000;

  private static final Duration LONGEST_REFILL = Duration.ofDays(36_525);
  private static final Duration DEFAULT_LEASE = Duration.ofMinutes(1);

  /** How tokens of a bucket come back. */
  public enum Refill {
    /** Evenly over the period. */
    SMOOTH,
    /** All at once, at the end of each period since the bucket was last full. */
    INTERVAL
  }

  /** Where a fixed window starts. */
  public enum Align {
    /** At multiples of the period since 1970-01-01T00:00Z. */
    EPOCH,
    /** With the first request after the last window ended. */
    FIRST_REQUEST,
    /** With the calendar, in a time zone. */
    CALENDAR
  }

  private final LimitFields fields;
  // What every decision reads, in fields of its own.
  private final long perMicros;
  private final long capacity;
  private final long initial;
  private final boolean borrow;
  private final boolean smooth;
  private final Rate cycle;

  private Limit(LimitFields fields) {
    this.fields = fields;
    this.perMicros = LimitFields.micros(fields.per);
    this.capacity = fields.capacity();
    this.initial = fields.initial == null ? capacity : fields.initial;
    this.borrow = fields.borrow;
    this.smooth = fields.refill == Refill.SMOOTH;
    this.cycle = fields.cycle();
  }

  private Limit with(Consumer<LimitFields> change) {
    LimitFields changed = fields.copy();
    change.accept(changed);
    return new Limit(changed);
  }

  private static Limit start(Algorithm algorithm, long permits, Duration per, Align align) {
    return new Limit(
        new LimitFields(
            algorithm, permits(null, algorithm, permits), period(null, "per", per), align));
  }

  /** Tokens refill smoothly at {@code permits} per {@code per}; the burst is {@code permits}. */
  public static Limit tokenBucket(long permits, Duration per) {
    return start(Algorithm.TOKEN_BUCKET, permits, per, Align.EPOCH);
  }

  /** Another name for {@link #tokenBucket}: the two decide alike. */
  public static Limit gcra(long permits, Duration per) {
    return tokenBucket(permits, per);
  }

  /** At most {@code permits} in each window, windows aligned to the epoch. */
  public static Limit fixedWindow(long permits, Duration per) {
    return start(Algorithm.FIXED_WINDOW, permits, per, Align.EPOCH);
  }

  /** A fixed window that starts with the first request. */
  public static Limit counter(long permits, Duration per) {
    return start(Algorithm.FIXED_WINDOW, permits, per, Align.FIRST_REQUEST);
  }

  /** A fixed window that follows the calendar in a time zone, daylight-saving changes included. */
  public static Limit calendarWindow(long permits, CalendarUnit unit, ZoneId zone) {
    Objects.requireNonNull(unit, "unit");
    Objects.requireNonNull(zone, "zone");
    return start(Algorithm.FIXED_WINDOW, permits, unit.longest(), Align.CALENDAR)
        .with(
            f -> {
              f.unit = unit;
              f.zone = zone;
            });
  }

  /** At most {@code permits} in every window of length {@code per}: exact, remembers each hit. */
  public static Limit slidingLog(long permits, Duration per) {
    return start(Algorithm.SLIDING_LOG, permits, per, Align.EPOCH);
  }

  /** An estimate over the last {@code per} from block counts; see {@link #precision}. */
  public static Limit slidingWindow(long permits, Duration per) {
    return start(Algorithm.SLIDING_WINDOW, permits, per, Align.EPOCH);
  }

  /** Lets requests pass {@code per / permits} apart; {@link #queue} may wait, none by default. */
  public static Limit leakyBucket(long permits, Duration per) {
    return start(Algorithm.LEAKY_BUCKET, permits, per, Align.EPOCH);
  }

  /** At most {@code permits} held at once, each for at most {@link #lease}, a minute by default. */
  public static Limit concurrency(long permits) {
    return start(Algorithm.CONCURRENCY, permits, DEFAULT_LEASE, Align.EPOCH);
  }

  /**
   * Reads the short form of a token bucket: {@code "10/s"}, {@code "240/h burst 20"}, {@code
   * "5/10s"}. Units: ms, s, m, h, d.
   *
   * @throws IllegalArgumentException if the text is not of that form
   */
  public static Limit parse(String text) {
    return ShortForm.parse(text);
  }

  /** Names the limit; without a name the policy gives it one from its algorithm. */
  public Limit name(String name) {
    if (name.isBlank() || name.length() > 64 || name.chars().anyMatch(c -> c < ' ' || c > '~')) {
      throw new IllegalArgumentException(
          "limit name must be 1 to 64 printable ASCII characters, got '%s'".formatted(name));
    }
    return with(f -> f.name = name);
  }

  /** Tokens that a full bucket holds; {@code permits} by default. */
  public Limit burst(long burst) {
    only(Algorithm.TOKEN_BUCKET, "burst");
    atLeastOne("burst", burst);
    atMost("burst", burst, MOST_PERMITS);
    return with(f -> f.burst = burst);
  }

  /** Tokens that a key never seen starts with; a full bucket by default. */
  public Limit initial(long initial) {
    only(Algorithm.TOKEN_BUCKET, "initial");
    if (initial < 0) {
      throw new IllegalArgumentException(
          "%s: initial must be at least 0, got %d".formatted(label(), initial));
    }
    return with(f -> f.initial = initial);
  }

  /** How tokens come back; smoothly by default. */
  public Limit refill(Refill refill) {
    only(Algorithm.TOKEN_BUCKET, "refill");
    Objects.requireNonNull(refill, "refill");
    return with(f -> f.refill = refill);
  }

  /**
   * Lets a request of any cost pass whenever the balance is not negative; those after it wait for
   * the debt, as in Guava.
   */
  public Limit borrow() {
    only(Algorithm.TOKEN_BUCKET, "borrow");
    return with(f -> f.borrow = true);
  }

  /** Where windows start; {@link #calendarWindow} makes the one that follows the calendar. */
  public Limit align(Align align) {
    only(Algorithm.FIXED_WINDOW, "align");
    if (align == Align.CALENDAR || fields.align == Align.CALENDAR) {
      throw new IllegalArgumentException(
          "%s: align must be epoch or first-request; a calendar window is made with a unit"
              .formatted(label()));
    }
    return with(f -> f.align = align);
  }

  /** The length of a block, which must divide the period; the whole period by default. */
  public Limit precision(Duration precision) {
    only(Algorithm.SLIDING_WINDOW, "precision");
    period(fields.name, "precision", precision);
    return with(f -> f.precision = precision);
  }

  /** How many requests may wait in a leaky bucket, the one that passes at once not counted. */
  public Limit queue(long queue) {
    only(Algorithm.LEAKY_BUCKET, "queue");
    if (queue < 0) {
      throw new IllegalArgumentException(
          "%s: queue must be at least 0, got %d".formatted(label(), queue));
    }
    atMost("queue", queue, MOST_PERMITS);
    return with(f -> f.queue = queue);
  }

  /** How long a concurrency permit is held at most; a crashed holder's permits return then. */
  public Limit lease(Duration lease) {
    only(Algorithm.CONCURRENCY, "lease");
    return with(f -> f.per = period(f.name, "lease", lease));
  }

  /**
   * The same limit with a share of its permits: at least one, for {@code nodes} that share it. A
   * bucket holds less than its share where that would not come back within 36525 days: what is left
   * after the division is no permit, so a share may be slower than its part of the rate.
   */
  public Limit share(int nodes) {
    Limit share =
        with(
            f -> {
              f.permits = Math.max(1, f.permits / nodes);
              f.burst = f.burst == null ? null : Long.valueOf(Math.max(1, f.burst / nodes));
              f.initial = f.initial == null ? null : Long.valueOf(f.initial / nodes);
              f.queue = f.queue / nodes;
            });
    long most = share.largestCapacity();
    return share.capacity <= most
        ? share
        : share.with(
            f -> {
              f.burst = f.burst == null ? null : Long.valueOf(Math.min(most, f.burst));
              f.initial = f.initial == null ? null : Long.valueOf(Math.min(most, f.initial));
              f.queue = Math.min(most - 1, f.queue);
            });
  }

  /** Checks the rules between fields; {@link Policy} calls it with the name it gives. */
  Limit checked(String name) {
    Limit named = fields.name == null ? name(name) : this;
    if (initial() > capacity) {
      throw new IllegalArgumentException(
          "%s: initial must be at most the burst of %d, got %d"
              .formatted(named.label(), capacity, initial()));
    }
    if (capacity > largestCapacity()) {
      throw new IllegalArgumentException(
          "%s: a capacity of %d must come back within 36525 days, at %d per %s it takes longer"
              .formatted(named.label(), capacity, fields.permits, LimitFields.text(fields.per)));
    }
    Duration precision = fields.precision;
    if (precision != null
        && (precision.compareTo(fields.per) > 0
            || perMicros % LimitFields.micros(precision) != 0)) {
      throw new IllegalArgumentException(
          "%s: precision must divide the period of %s, got %s"
              .formatted(named.label(), LimitFields.text(fields.per), LimitFields.text(precision)));
    }
    if (precision != null && perMicros / LimitFields.micros(precision) > MOST_BLOCKS) {
      throw new IllegalArgumentException(
          "%s: per divided by precision must be at most %d, got %d"
              .formatted(named.label(), MOST_BLOCKS, perMicros / LimitFields.micros(precision)));
    }
    return named;
  }

  /** Permits that come back within the longest refill; only a bucket is bound by it. */
  private long largestCapacity() {
    if (!isBucket()) {
      return Long.MAX_VALUE;
    }
    // The product may take more than 64 bits, and must be exact: a share is cut to this.
    return BigInteger.valueOf(LimitFields.micros(LONGEST_REFILL))
        .multiply(BigInteger.valueOf(cyclePermits()))
        .divide(BigInteger.valueOf(cycleMicros()))
        .min(BigInteger.valueOf(Long.MAX_VALUE))
        .longValueExact();
  }

  private boolean isBucket() {
    return fields.algorithm == Algorithm.TOKEN_BUCKET || fields.algorithm == Algorithm.LEAKY_BUCKET;
  }

  /** The limit's name, unique in its policy; the algorithm's word where none was given. */
  public String name() {
    return fields.name();
  }

  boolean isNamed() {
    return fields.name != null;
  }

  /** How this limit counts. */
  public Algorithm algorithm() {
    return fields.algorithm;
  }

  /** Permits in each period; for concurrency, permits held at once. */
  public long permits() {
    return fields.permits;
  }

  /** The period; for concurrency the lease, for a calendar window its longest length. */
  public Duration per() {
    return fields.per;
  }

  /** The period in whole microseconds. */
  public long perMicros() {
    return perMicros;
  }

  /** The period to tell clients, in microseconds: a calendar window's {@code nominal} length. */
  public long shownPerMicros() {
    CalendarUnit unit = fields.unit;
    return unit == null ? perMicros : LimitFields.micros(unit.nominal());
  }

  /** The most permits that one request can take at once, and what a fresh key has. */
  public long capacity() {
    return capacity;
  }

  /** Tokens that a key never seen starts with. */
  public long initial() {
    return initial;
  }

  /** How tokens come back. */
  public Refill refill() {
    return fields.refill;
  }

  /** Whether a request may take more than there is and leave a debt. */
  public boolean borrows() {
    return borrow;
  }

  /** Where windows start. */
  public Align align() {
    return fields.align;
  }

  /** The calendar unit of a calendar window, null for every other limit. */
  public @Nullable CalendarUnit unit() {
    return fields.unit;
  }

  /** The time zone of a calendar window; UTC for every other limit. */
  public ZoneId zone() {
    return fields.zone;
  }

  /** The length of a block of a sliding window, in microseconds. */
  public long precisionMicros() {
    return fields.precision == null ? perMicros : LimitFields.micros(fields.precision);
  }

  /** Whether a request of this cost can pass at some time, on a key that nobody else uses. */
  public boolean canPass(long cost) {
    return cost <= largestCost();
  }

  /** The largest cost that can pass: a debt must come back within the longest refill. */
  public long largestCost() {
    if (!borrow) {
      return capacity;
    }
    long cycles = LimitFields.micros(LONGEST_REFILL) / cycle.micros();
    boolean any = cycles > MOST_PERMITS / cycle.permits();
    return any ? MOST_PERMITS : Math.max(capacity, cycles * cycle.permits());
  }

  /** The time, in microseconds, in which the whole capacity comes back. */
  public long windowMicros() {
    return isBucket() ? microsFor(capacity) : perMicros;
  }

  /** The time to tell clients, in microseconds, in which the whole capacity comes back. */
  public long shownWindowMicros() {
    return isBucket() ? windowMicros() : shownPerMicros();
  }

  /** Permits of a bucket that come back within {@code elapsed}, which is less than a cycle. */
  public long permitsWithin(long elapsed) {
    return smooth ? cycle.permitsWithin(elapsed) : 0;
  }

  /** The time, rounded up, in which {@code count} permits of a bucket come back. */
  public long microsFor(long count) {
    return smooth ? cycle.microsFor(count) : cycle.batchMicrosFor(count);
  }

  /** The length in microseconds of a bucket's refill cycle; see {@link #cyclePermits}. */
  public long cycleMicros() {
    return cycle.micros();
  }

  /** Permits that a bucket gets back in each cycle. */
  public long cyclePermits() {
    return cycle.permits();
  }

  private String label() {
    return "limit '%s'".formatted(name());
  }

  private void only(Algorithm algorithm, String field) {
    if (fields.algorithm != algorithm) {
      throw new IllegalArgumentException(
          "%s: %s is for %s, not for %s".formatted(label(), field, algorithm, fields.algorithm));
    }
  }

  private void atLeastOne(String field, long value) {
    if (value < 1) {
      throw new IllegalArgumentException(
          "%s: %s must be at least 1, got %d".formatted(label(), field, value));
    }
  }

  private void atMost(String field, long value, long most) {
    if (value > most) {
      throw new IllegalArgumentException(
          "%s: %s must be at most %d, got %d".formatted(label(), field, most, value));
    }
  }

  private static long permits(@Nullable String name, Algorithm algorithm, long permits) {
    long most = algorithm == Algorithm.SLIDING_LOG ? MOST_LOGGED_PERMITS : MOST_PERMITS;
    if (permits < 1 || permits > most) {
      throw new IllegalArgumentException(
          "limit '%s': permits must be from 1 to %d, got %d"
              .formatted(name == null ? algorithm.id() : name, most, permits));
    }
    return permits;
  }

  private static Duration period(@Nullable String name, String field, Duration duration) {
    Objects.requireNonNull(duration, field);
    if (duration.isNegative()
        || duration.isZero()
        || duration.compareTo(LONGEST_PERIOD) > 0
        || duration.toNanosPart() % 1_000 != 0) {
      throw new IllegalArgumentException(
          "%s%s must be whole microseconds, from 1 microsecond to 3653 days, got %s"
              .formatted(name == null ? "" : "limit '" + name + "': ", field, duration));
    }
    return duration;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Limit limit && fields.values().equals(limit.fields.values());
  }

  @Override
  public int hashCode() {
    return fields.values().hashCode();
  }

  /** One line for logs, such as {@code burst: token-bucket 10 per 1s, burst 20}. */
  @Override
  public String toString() {
    return fields.toString();
  }
}

package dev.sluice.redis;

import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import dev.sluice.Plan;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/** Plans that histories are made of. Those of one policy share what they remember of a key. */
record TwinCase(String name, List<Plan> plans) {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
  private static final Duration DAY = Duration.ofDays(1);
  private static final ZoneId PARIS = ZoneId.of("Europe/Paris");

  private static TwinCase of(String name, Limit... limits) {
    return new TwinCase(name, List.of(Plans.of("p", limits)));
  }

  /** The same policy with other numbers in turn: what was used under one is found by the other. */
  private static TwinCase changing(String name, Limit... limits) {
    List<Plan> plans = new ArrayList<>();
    for (Limit limit : limits) {
      plans.add(Plans.of("p", limit));
    }
    return new TwinCase(name, plans);
  }

  static List<TwinCase> tokenBuckets() {
    Limit five = Limit.tokenBucket(5, SECOND);
    return List.of(
        of("burst", five.burst(8)),
        of("uneven cycle", Limit.tokenBucket(7, Duration.ofMillis(1_001)).burst(20)),
        of("starts low", five.initial(2)),
        of("starts empty", five.burst(9).initial(0)),
        of("interval", five.burst(12).refill(Limit.Refill.INTERVAL)),
        of("borrow", five.borrow()),
        of("thousands", Limit.tokenBucket(3_000, SECOND).burst(12_000)),
        of("many a second", Limit.tokenBucket(700_001, SECOND)),
        of("one a month", Limit.tokenBucket(1, Duration.ofDays(30)).burst(3)),
        of("the most", Limit.tokenBucket(Limit.MOST_PERMITS, Duration.ofDays(3_653))),
        changing("changing", five.burst(8), Limit.tokenBucket(3, DAY), five.borrow().initial(1)));
  }

  static List<TwinCase> fixedWindows() {
    Limit five = Limit.fixedWindow(5, SECOND);
    return List.of(
        of("epoch", five),
        of("first request", Limit.counter(5, SECOND)),
        of("odd length", Limit.fixedWindow(20_000, Duration.ofNanos(1_234_567_000))),
        changing("changing", five, Limit.fixedWindow(9, DAY), Limit.counter(3, SECOND)));
  }

  static List<TwinCase> calendarWindows() {
    Limit day = dayOfParis();
    Limit month = Limit.calendarWindow(9, CalendarUnit.MONTH, PARIS);
    return List.of(
        of("day", day),
        of("one a day, booked ahead", Limit.calendarWindow(1, CalendarUnit.DAY, PARIS)),
        of(
            "one a day, booked months ahead",
            Limit.calendarWindow(1, CalendarUnit.DAY, PARIS),
            Limit.calendarWindow(500, CalendarUnit.MONTH, PARIS).name("monthly")),
        of("month and a bucket", month, Limit.tokenBucket(9, DAY.multipliedBy(3))),
        of("week and a queue", week(), Limit.leakyBucket(1, DAY.multipliedBy(2)).queue(9)),
        changing("changing", day, week(), Limit.fixedWindow(4, DAY)));
  }

  private static Limit week() {
    return Limit.calendarWindow(9, CalendarUnit.WEEK, ZoneId.of("Asia/Kathmandu"));
  }

  static List<TwinCase> slidingLogs() {
    Limit six = Limit.slidingLog(6, SECOND);
    return List.of(
        of("few", six),
        of("some", Limit.slidingLog(50, SECOND)),
        of("many", Limit.slidingLog(3_000, SECOND)),
        of("the most", Limit.slidingLog(Limit.MOST_LOGGED_PERMITS, SECOND)),
        changing("changing", six, Limit.slidingLog(20, SECOND.multipliedBy(3))));
  }

  static List<TwinCase> slidingWindows() {
    Limit six = Limit.slidingWindow(6, SECOND);
    return List.of(
        of("two counters", six),
        of("blocks", Limit.slidingWindow(40, SECOND).precision(Duration.ofMillis(50))),
        of(
            "products above 2^53",
            Limit.slidingWindow(1L << 39, DAY.multipliedBy(300)).precision(DAY.multipliedBy(3))),
        changing("changing", six, Limit.slidingWindow(20, SECOND.multipliedBy(3))));
  }

  static List<TwinCase> leakyBuckets() {
    Limit five = Limit.leakyBucket(5, SECOND);
    return List.of(
        of("queue", five.queue(4)),
        of("no queue", five),
        of("many a second", Limit.leakyBucket(700_001, SECOND).queue(40)),
        changing("changing", five.queue(4), Limit.leakyBucket(9, SECOND).queue(2)));
  }

  static List<TwinCase> concurrency() {
    Limit six = Limit.concurrency(6).lease(SECOND);
    return List.of(
        of("lease", six),
        of("one", Limit.concurrency(1).lease(SECOND)),
        of("many", Limit.concurrency(800).lease(SECOND)),
        changing("changing", six, Limit.concurrency(3).lease(SECOND.multipliedBy(5))));
  }

  static List<TwinCase> mixed() {
    Plan first =
        Plans.of(
            "p",
            Limit.tokenBucket(5, SECOND).burst(8),
            Limit.slidingLog(20, SECOND.multipliedBy(4)),
            Limit.leakyBucket(7, SECOND).queue(3));
    Plan second =
        Plans.of(
            "q",
            Limit.fixedWindow(9, SECOND),
            Limit.slidingWindow(12, SECOND),
            Limit.concurrency(4).lease(SECOND));
    Plan cells =
        Plans.of(
            "p",
            Limit.tokenBucket(5, SECOND).burst(8),
            Limit.tokenBucket(30, SECOND.multipliedBy(10)).name("slow"),
            Limit.fixedWindow(9, SECOND));
    Plan plain = Plans.of("t", Limit.tokenBucket(5, SECOND));
    return List.of(
        new TwinCase("six algorithms", List.of(first, second)),
        new TwinCase("cells", List.of(cells, plain)),
        otherLimits(),
        oneOrTheOther("a bucket or a window", List.of(five()), List.of(nine())),
        oneOrTheOther("in another order", List.of(five(), nine()), List.of(nine(), five())),
        oneOrTheOther("with and without a name", List.of(five()), List.of(five().name("x"))),
        of(
            "logs and windows",
            Limit.slidingLog(9, SECOND),
            Limit.slidingWindow(30, SECOND.multipliedBy(5)).precision(SECOND),
            Limit.slidingWindow(12, SECOND.multipliedBy(2))),
        of("delayed queue", Limit.tokenBucket(3, SECOND), Limit.leakyBucket(7, SECOND).queue(9)),
        new TwinCase("two of a kind", List.of(two())));
  }

  /**
   * The ends of what a limit may be: the shortest and the longest period, the most permits, and
   * both in one policy or one after the other.
   */
  static List<TwinCase> extremes() {
    Duration micro = Duration.ofNanos(1_000);
    Duration longest = Limit.LONGEST_PERIOD;
    long most = Limit.MOST_PERMITS;
    Limit slow = Limit.tokenBucket(1, longest).burst(9);
    return List.of(
        of("a bucket a microsecond", Limit.tokenBucket(3, micro)),
        of("the most a microsecond", Limit.tokenBucket(most, micro)),
        of("ten years, all at once", slow.refill(Limit.Refill.INTERVAL)),
        of("a window a microsecond", Limit.fixedWindow(2, micro)),
        of("the widest window", Limit.fixedWindow(most, longest)),
        of("the most at the first request", Limit.counter(most, micro)),
        of("a log of a microsecond", Limit.slidingLog(4, micro)),
        of("the longest log", Limit.slidingLog(4, longest)),
        of("a sliding window a microsecond", Limit.slidingWindow(4, micro)),
        of("the widest sliding window", Limit.slidingWindow(most, longest)),
        of("a pass in ten years", Limit.leakyBucket(1, longest).queue(8)),
        of("the longest queue", Limit.leakyBucket(most, longest).queue(most - 1)),
        of("the most held", Limit.concurrency(most).lease(longest)),
        of("short windows, booked far ahead", Limit.fixedWindow(5, SECOND), slow),
        of("rolling windows, far ahead", Limit.counter(5, Duration.ofMillis(3)), slow),
        of("days, queued for decades", dayOfParis(), Limit.leakyBucket(1, longest).queue(8)),
        of("ten years", slow),
        changing("much slower", Limit.tokenBucket(most, micro), Limit.tokenBucket(1, TEN_MINUTES)),
        changing(
            "much slower, all at once",
            Limit.tokenBucket(most, micro).refill(Limit.Refill.INTERVAL),
            Limit.tokenBucket(1, TEN_MINUTES).refill(Limit.Refill.INTERVAL)),
        changing("wider", Limit.fixedWindow(most, micro), Limit.counter(1, longest)),
        changing("a slower queue", Limit.leakyBucket(most, micro).queue(most - 1), queue(longest)));
  }

  private static Limit queue(Duration per) {
    return Limit.leakyBucket(1, per).queue(2);
  }

  private static Limit dayOfParis() {
    return Limit.calendarWindow(9, CalendarUnit.DAY, PARIS);
  }

  private static Limit five() {
    return Limit.tokenBucket(5, SECOND);
  }

  private static Limit nine() {
    return Limit.fixedWindow(9, SECOND);
  }

  private static TwinCase oneOrTheOther(String name, List<Limit> some, List<Limit> others) {
    Plan one = Plans.of("p", some.toArray(new Limit[0]));
    return new TwinCase(name, List.of(one, Plans.of("p", others.toArray(new Limit[0]))));
  }

  /** Limits come and go; those that stay keep what was used, also while others do not know them. */
  static TwinCase otherLimits() {
    Limit bucket = Limit.tokenBucket(5, SECOND).burst(8);
    Limit slow = Limit.tokenBucket(30, SECOND.multipliedBy(10)).name("a,b@3%");
    Limit window = Limit.fixedWindow(9, SECOND);
    List<Plan> plans =
        List.of(
            Plans.of("p", bucket),
            Plans.of("p", window),
            Plans.of("p", bucket, window),
            Plans.of("p", window, bucket),
            Plans.of("p", slow, bucket),
            Plans.of("p", slow),
            Plans.of("p", Limit.leakyBucket(7, SECOND).queue(3), window, slow.initial(3)),
            Plans.of("p", Limit.slidingLog(20, SECOND), Limit.fixedWindow(20_000, SECOND)));
    return new TwinCase("other limits", plans);
  }

  private static Plan two() {
    return Plans.of(
        "p",
        Limit.slidingLog(8, SECOND),
        Limit.slidingLog(20, SECOND.multipliedBy(5)).name("long"),
        Limit.counter(15, SECOND.multipliedBy(2)),
        Limit.concurrency(5).lease(SECOND),
        Limit.concurrency(9).lease(SECOND.multipliedBy(3)).name("wide"));
  }

  @Override
  public String toString() {
    return name;
  }
}

package dev.sluice.server.config;

import dev.sluice.Algorithm;
import dev.sluice.CalendarUnit;
import dev.sluice.Limit;
import dev.sluice.Policy;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Reads one limit: the short form {@code "10/s"}, or its members by name. */
final class LimitReader {
  private static final Set<String> WORDS =
      Set.of(
          "name",
          "algorithm",
          "permits",
          "per",
          "burst",
          "initial",
          "refill",
          "borrow",
          "align",
          "zone",
          "precision",
          "queue",
          "lease");

  private final Members members;
  private final Problems problems;
  private final int line;
  private final int before;
  private Algorithm algorithm = Algorithm.TOKEN_BUCKET;
  private boolean counter;
  private ZoneId zone = ZoneOffset.UTC;
  private @Nullable Limit limit;

  private LimitReader(String policy, int position, ConfigNode.Mapping mapping, Problems problems) {
    this.problems = problems;
    this.line = mapping.line();
    this.before = problems.size();
    String name = label(mapping, position);
    this.members = new Members("%s, limit '%s': ".formatted(policy, name), mapping, problems);
  }

  private static String label(ConfigNode.Mapping mapping, int position) {
    for (String member : new String[] {"name", "algorithm"}) {
      ConfigNode.Member given = mapping.members().get(member);
      if (given != null && given.value() instanceof ConfigNode.Scalar scalar) {
        return scalar.text();
      }
    }
    return "#" + position;
  }

  /**
   * Reads one limit.
   *
   * @param policy names the policy in problems
   * @param position of the limit in its list, from 1, for one without a name
   */
  static Optional<Limit> read(String policy, int position, ConfigNode node, Problems problems) {
    if (node instanceof ConfigNode.Scalar text) {
      try {
        return Optional.of(Limit.parse(text.text()));
      } catch (IllegalArgumentException wrong) {
        problems.add(text.line(), policy + ": " + wrong.getMessage());
        return Optional.empty();
      }
    }
    if (node instanceof ConfigNode.Mapping mapping) {
      return Optional.ofNullable(
          new LimitReader(policy, position, mapping, problems).readMembers());
    }
    problems.add(
        node.line(),
        "%s: a limit must be a mapping or text such as '10/s', got %s".formatted(policy, node));
    return Optional.empty();
  }

  private @Nullable Limit readMembers() {
    members.only(WORDS);
    members.text(
        "algorithm",
        word -> {
          algorithm = Algorithm.of(word);
          counter = word.equals("counter");
        });
    start();
    if (limit == null) {
      return null;
    }
    extras();
    Limit made = limit;
    if (problems.size() == before) {
      alone(made);
    }
    return made;
  }

  /** Rules between members: a policy checks them, so a limit is put into one for a moment. */
  private void alone(Limit made) {
    try {
      Policy unused = Policy.of("alone", made);
    } catch (IllegalArgumentException wrong) {
      String text = String.valueOf(wrong.getMessage());
      members.tell(line, text.replaceFirst("^policy 'alone', limit '[^']*': ", ""));
    }
  }

  private void start() {
    if (!members.has("permits")) {
      members.tell(line, "permits is missing");
    }
    if (algorithm == Algorithm.CONCURRENCY) {
      ConfigNode.Member per = members.get("per");
      if (per != null) {
        members.tell(per.line(), "per is not for concurrency; use lease");
      }
      members.number("permits", permits -> limit = Limit.concurrency(permits));
      return;
    }
    if (!members.has("per")) {
      members.tell(line, "per is missing");
    }
    Optional<CalendarUnit> unit = calendarUnit();
    if (unit.isPresent()) {
      members.text("zone", text -> zone = zone(text));
      members.number("permits", n -> limit = Limit.calendarWindow(n, unit.get(), zone));
      return;
    }
    // Each member stands alone first, with a harmless value for the other, to tell its own wrongs.
    members.number("permits", n -> limit = make(n, Duration.ofSeconds(1)));
    Limit started = limit;
    limit = null;
    members.text(
        "per",
        text -> {
          Limit one = make(1, Durations.parse(text));
          limit = started == null ? null : make(started.permits(), one.per());
        });
  }

  private Optional<CalendarUnit> calendarUnit() {
    ConfigNode.Member per = members.get("per");
    if (per == null || !(per.value() instanceof ConfigNode.Scalar text)) {
      return Optional.empty();
    }
    Optional<CalendarUnit> unit =
        Arrays.stream(CalendarUnit.values()).filter(u -> u.id().equals(text.text())).findFirst();
    if (unit.isPresent() && (algorithm != Algorithm.FIXED_WINDOW || counter)) {
      members.tell(
          per.line(),
          "per: %s is for fixed-window, not for %s"
              .formatted(text.text(), counter ? "counter" : algorithm));
    }
    return unit;
  }

  private Limit make(long permits, Duration per) {
    BiFunction<Long, Duration, Limit> maker =
        switch (algorithm) {
          case TOKEN_BUCKET -> Limit::tokenBucket;
          case FIXED_WINDOW -> counter ? Limit::counter : Limit::fixedWindow;
          case SLIDING_LOG -> Limit::slidingLog;
          case SLIDING_WINDOW -> Limit::slidingWindow;
          case LEAKY_BUCKET -> Limit::leakyBucket;
          case CONCURRENCY -> (held, lease) -> Limit.concurrency(held);
        };
    return maker.apply(permits, per);
  }

  private static ZoneId zone(String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException unknown) {
      throw new IllegalArgumentException(
          "must be a time zone such as Europe/Paris, got '%s'".formatted(text), unknown);
    }
  }

  private void extras() {
    members.text("name", name -> change(limit -> limit.name(name)));
    members.number("burst", burst -> change(limit -> limit.burst(burst)));
    members.number("initial", initial -> change(limit -> limit.initial(initial)));
    members.word(
        "refill",
        Limit.Refill.values(),
        LimitReader::word,
        refill -> change(limit -> limit.refill(refill)));
    members.flag("borrow", borrow -> change(limit -> borrow ? limit.borrow() : limit));
    members.word(
        "align",
        new Limit.Align[] {Limit.Align.EPOCH, Limit.Align.FIRST_REQUEST},
        LimitReader::word,
        align -> change(limit -> limit.align(align)));
    members.text("precision", text -> change(limit -> limit.precision(Durations.parse(text))));
    members.number("queue", queue -> change(limit -> limit.queue(queue)));
    members.text("lease", text -> change(limit -> limit.lease(Durations.parse(text))));
    ConfigNode.Member given = members.get("zone");
    if (given != null && limit != null && limit.unit() == null) {
      members.tell(given.line(), "zone needs per: day, week, month or year");
    }
  }

  private interface Change {
    Limit apply(Limit limit);
  }

  private void change(Change change) {
    Limit changing = limit;
    if (changing != null) {
      limit = change.apply(changing);
    }
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}

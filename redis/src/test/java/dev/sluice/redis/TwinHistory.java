package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.MicroClock;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Request.Mode;
import dev.sluice.Store;
import dev.sluice.testkit.FakeClock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * What happens to a few keys: requests of all kinds at instants of a clock that also steps back.
 * The same seed makes the same history. The reference decides while it is made, so that bookings
 * can be given back for the very instant that they were for. With an odd seed a crowd of small
 * requests comes first, close together; then the clock jumps.
 */
final class TwinHistory {
  /** What was asked at an instant, and what the reference said. */
  record Step(long nowMicros, List<Request> requests, List<Decision> expected) {}

  private static final long START = 1_767_225_600_000_000L;
  // In 2001 and 2109: below 2^53 also with 2^52, the longest time of all, added.
  private static final long EARLIEST = 1_000_000_000_000_000L;
  private static final long LATEST = 4_400_000_000_000_000L;
  private static final long LONGEST_WAIT = 365 * 86_400_000_000L;

  private final SplittableRandom random;
  private final List<Plan> plans;
  private final Set<Mode> modes;
  private final int crowd;
  private final boolean back;
  private final String prefix;
  private final FakeClock clock;
  private final Store reference;
  private final List<Step> steps = new ArrayList<>();
  private final List<Decision> takenBefore = new ArrayList<>();
  private final List<Request> named = new ArrayList<>();
  private final List<Request> reserved = new ArrayList<>();
  private Decision reached;
  private int ids;

  private TwinHistory(
      long seed,
      List<Plan> plans,
      Set<Mode> modes,
      int length,
      Function<MicroClock, Store> reference) {
    this.random = new SplittableRandom(seed);
    this.plans = plans;
    this.modes = modes;
    this.crowd = seed % 2 == 0 ? 0 : length * 3 / 4;
    this.back = seed % 4 == 1;
    this.prefix = Long.toHexString(seed) + "-";
    this.clock = new FakeClock(START + random.nextLong(86_400_000_000L * 400));
    this.reference = reference.apply(clock);
  }

  static List<Step> of(
      long seed,
      List<Plan> plans,
      Set<Mode> modes,
      int length,
      Function<MicroClock, Store> reference) {
    TwinHistory history = new TwinHistory(seed, plans, EnumSet.copyOf(modes), length, reference);
    for (int i = 0; i < length; i++) {
      history.step();
    }
    return history.steps;
  }

  private void step() {
    Plan plan = plans.get(random.nextInt(plans.size()));
    clock.advanceMicros(pause(plan));
    if (clock.nowMicros() > LATEST || clock.nowMicros() < EARLIEST) {
      clock.set(START);
    }
    List<Request> requests = new ArrayList<>();
    requests.add(request(plan));
    Mode mode = requests.get(0).mode();
    if (mode == Mode.ACQUIRE && modes.contains(Mode.PEEK) && random.nextInt(5) == 0) {
      for (int more = random.nextInt(1, 4); more > 0; more--) {
        Plan other = agreeing(plans.get(random.nextInt(plans.size())), plan);
        requests.add(new Request(other, key(), cost(other, false), Mode.ACQUIRE, 0, id(other), 0));
      }
    }
    List<Decision> decisions =
        requests.size() == 1
            ? List.of(reference.decide(requests.get(0)))
            : reference.decideTogether(requests);
    for (int i = 0; i < requests.size(); i++) {
      remember(requests.get(i), decisions.get(i), decisions.stream().allMatch(Decision::allowed));
    }
    steps.add(new Step(clock.nowMicros(), requests, decisions));
  }

  /** At one instant a policy has one plan for a key. */
  private static Plan agreeing(Plan candidate, Plan chosen) {
    return candidate.policy().equals(chosen.policy()) ? chosen : candidate;
  }

  private void remember(Request request, Decision decision, boolean all) {
    if (all && request.takes()) {
      takenBefore.add(decision);
    }
    if (request.id() != null && (all || random.nextInt(8) == 0)) {
      (request.mode() == Mode.RESERVE ? reserved : named).add(request);
    }
  }

  private Request request(Plan plan) {
    Mode mode = mode();
    long time = 0;
    long maxWait = 0;
    String id = plan.concurrent() ? id(plan) : null;
    switch (mode) {
      case BOOK -> maxWait = wait(plan);
      case RESERVE -> {
        maxWait = random.nextBoolean() ? 0 : wait(plan);
        id = newId();
        time = 1 + wait(plan);
      }
      case GIVE_BACK, POSTPONE -> {
        if (!takenBefore.isEmpty() && random.nextInt(3) > 0) {
          Decision taken = reached != null && random.nextBoolean() ? reached : recent(takenBefore);
          Plan of = planOf(taken, plan);
          return new Request(of, taken.key(), taken.cost(), mode, 0, null, taken.passesAtMicros());
        }
      }
      case RELEASE, COMMIT -> {
        List<Request> known = mode == Mode.COMMIT || named.isEmpty() ? reserved : named;
        if (!known.isEmpty() && random.nextInt(10) > 0) {
          Request before = recent(known);
          long cost = mode == Mode.RELEASE ? 1 : random.nextLong(2 * before.cost() + 1);
          return new Request(before.plan(), before.key(), cost, mode, 0, before.id(), 0);
        }
        id = newId();
      }
      default -> {}
    }
    boolean beyond = mode == Mode.FORCE || mode == Mode.GIVE_BACK || mode == Mode.POSTPONE;
    return new Request(plan, key(), cost(plan, beyond), mode, maxWait, id, time);
  }

  private Plan planOf(Decision taken, Plan fallback) {
    return plans.stream()
        .filter(plan -> plan.policy().equals(taken.policy()))
        .filter(plan -> plan.limits().size() == taken.limits().size())
        .findFirst()
        .orElse(fallback);
  }

  private <T> T recent(List<T> all) {
    int back = 1 + (int) (random.nextDouble() * random.nextDouble() * Math.min(all.size(), 40));
    return all.get(Math.max(0, all.size() - back));
  }

  private Mode mode() {
    if (random.nextInt(2) == 0 || modes.size() == 1) {
      return Mode.ACQUIRE;
    }
    Mode[] all = modes.toArray(new Mode[0]);
    Mode mode = all[random.nextInt(all.length)];
    return mode == Mode.RESET && random.nextInt(4) > 0 ? Mode.PEEK : mode;
  }

  private String key() {
    return prefix + (random.nextInt(4) == 0 ? "b" : "a");
  }

  private String id(Plan plan) {
    return plan.concurrent() ? newId() : null;
  }

  private String newId() {
    return "id%06d".formatted(ids++);
  }

  private long cost(Plan plan, boolean beyond) {
    if (steps.size() < crowd) {
      return random.nextLong(1, 3);
    }
    long most = plan.capacity();
    long cap = plan.limits().stream().mapToLong(Limit::capacity).min().orElseThrow();
    if (most > cap && random.nextInt(4) == 0) {
      return random.nextLong(1, 3 * cap + 1);
    }
    return switch (random.nextInt(10)) {
      case 0 -> random.nextLong(1, cap + 1);
      case 1 -> cap;
      case 2, 3 -> Math.min(cap, random.nextLong(1, 4));
      case 4 -> beyond ? random.nextLong(1, 2 * cap + 1) : 1;
      default -> 1;
    };
  }

  private long wait(Plan plan) {
    long per = Math.min(longest(plan), LONGEST_WAIT / 3);
    return random.nextInt(3) == 0 ? random.nextLong(3 * per) : random.nextLong(per);
  }

  private static long longest(Plan plan) {
    return plan.limits().stream().mapToLong(Limit::windowMicros).max().orElseThrow();
  }

  private long pause(Plan plan) {
    Limit limit = plan.limits().get(random.nextInt(plan.limits().size()));
    long per = limit.perMicros();
    long spacing = Math.max(1, per / limit.permits());
    if (steps.size() <= crowd && crowd > 0) {
      long jump = back ? -3 * per : per;
      return steps.size() == crowd ? jump : random.nextLong(spacing / 4 + 2);
    }
    return switch (random.nextInt(40)) {
      case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 -> 0;
      case 10, 11, 12, 13, 14, 15 -> random.nextLong(2 * spacing + 1);
      case 16, 17, 18, 19 -> spacing;
      case 20 -> per;
      case 21 -> per - 1;
      case 22, 23 -> random.nextLong(2 * per + 1);
      case 24 -> random.nextLong(5 * per + 1);
      case 25 -> -random.nextLong(per + 1);
      case 26 ->
          switch (random.nextInt(3)) {
            case 0 -> -random.nextLong(4 * per + 1);
            case 1 -> -per;
            default -> 0;
          };
      case 27 -> per - clock.nowMicros() % per - random.nextLong(2);
      case 28 -> limit.windowMicros();
      case 29, 30 -> untilABooking();
      default -> random.nextLong(per / 8 + 1);
    };
  }

  /** To the very instant at which something passes that was booked; it may be given back then. */
  private long untilABooking() {
    reached = takenBefore.isEmpty() ? null : recent(takenBefore);
    return reached == null ? 0 : Math.max(0, reached.passesAtMicros() - clock.nowMicros());
  }
}

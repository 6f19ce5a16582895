package dev.sluice.redis;

import dev.sluice.Decision;
import dev.sluice.MicroClock;
import dev.sluice.Plan;
import dev.sluice.Request;
import dev.sluice.Request.Mode;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.redis.testkit.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Drives the memory store and the scripts through the same histories, at the same instants of a
 * clock that exists in the test only, and compares every answer field by field.
 */
final class Twin implements AutoCloseable {
  // How long start.lua keeps a key that is decided at a test's own instants.
  private static final long GRACE_MILLIS = 3_600_000;

  private final Pipeline pipeline;
  // Owns what is prepared for the plans; never asked.
  private final Store owner = new InMemoryStore();

  Twin(RedisServer server) {
    this(server, UnaryOperator.identity());
  }

  Twin(RedisServer server, UnaryOperator<String> change) {
    this.pipeline = new Pipeline(server, change);
  }

  /** Walks a history; the first difference, or null. */
  String firstDifference(long seed, List<Plan> plans, Set<Mode> modes, int length) {
    boolean calendar =
        plans.stream().flatMap(p -> p.limits().stream()).anyMatch(l -> l.unit() != null);
    List<TwinHistory.Step> steps = TwinHistory.of(seed, plans, modes, length, Twin::reference);
    pipeline.command("FLUSHALL");
    long started = System.nanoTime();
    List<Object> replies = calendar ? oneByOne(steps) : inOneGo(steps);
    String difference = compare(seed, steps, replies);
    difference = difference == null ? badLife(steps, started) : difference;
    return difference == null ? litter() : difference;
  }

  private static Store reference(MicroClock clock) {
    return InMemoryStore.keepingAll(clock);
  }

  private List<Object> inOneGo(List<TwinHistory.Step> steps) {
    List<Call> calls = new ArrayList<>();
    for (TwinHistory.Step step : steps) {
      calls.add(Call.of(step.requests(), owner, step.nowMicros()).at(step.nowMicros()));
    }
    return pipeline.run(calls);
  }

  private List<Object> oneByOne(List<TwinHistory.Step> steps) {
    List<Object> replies = new ArrayList<>();
    for (TwinHistory.Step step : steps) {
      // As if the client's clock were off by up to a day.
      long around = step.nowMicros() + step.nowMicros() % 172_800_000_000L - 86_400_000_000L;
      Object reply = run(Call.of(step.requests(), owner, around), step);
      for (int i = 0; i < 2 && numbers(reply) != null && Reply.undecided(numbers(reply)); i++) {
        reply = run(Call.again(step.requests(), owner, numbers(reply)), step);
      }
      replies.add(reply);
    }
    return replies;
  }

  private Object run(Call call, TwinHistory.Step step) {
    return pipeline.run(List.of(call.at(step.nowMicros()))).get(0);
  }

  @SuppressWarnings("unchecked") // the scripts answer with flat lists
  private static List<Object> numbers(Object reply) {
    return reply instanceof List ? (List<Object>) reply : null;
  }

  private static String compare(long seed, List<TwinHistory.Step> steps, List<Object> replies) {
    for (int i = 0; i < steps.size(); i++) {
      TwinHistory.Step step = steps.get(i);
      List<Object> reply = numbers(replies.get(i));
      String got;
      if (reply == null || Reply.undecided(reply)) {
        got = "error " + replies.get(i);
      } else {
        List<Decision> decisions = Reply.decode(step.requests(), reply);
        if (same(decisions, step.expected())) {
          continue;
        }
        got = told(decisions);
      }
      StringBuilder text = new StringBuilder("seed " + seed + ", step " + i);
      for (int j = Math.max(0, i - 12); j <= i; j++) {
        text.append("\n  at ").append(steps.get(j).nowMicros());
        for (Request r : steps.get(j).requests()) {
          text.append(
              " %s %s %d id %s wait %d time %d"
                  .formatted(
                      r.mode(), r.key(), r.cost(), r.id(), r.maxWaitMicros(), r.timeMicros()));
        }
        text.append("\n    said ").append(told(steps.get(j).expected()));
      }
      return text + "\n  but got " + got + "\n  with " + step.requests().get(0).plan();
    }
    return null;
  }

  private static boolean same(List<Decision> some, List<Decision> others) {
    for (int i = 0; i < some.size(); i++) {
      if (!same(some.get(i), others.get(i))) {
        return false;
      }
    }
    return some.size() == others.size();
  }

  static boolean same(Decision a, Decision b) {
    // The memory store looks for what it does not know under the key that new keys share when it is
    // full, and answers with that key's figures: callers see no more than that it was not there.
    if (b.key().isEmpty() && b.neverPasses()) {
      return a.neverPasses();
    }
    return a.allowed() == b.allowed()
        && a.forced() == b.forced()
        && a.cost() == b.cost()
        && a.policy().equals(b.policy())
        && a.waitMicros() == b.waitMicros()
        && a.passesAtMicros() == b.passesAtMicros()
        && a.retryAfterMicros() == b.retryAfterMicros()
        && a.remaining() == b.remaining()
        && a.resetAfterMicros() == b.resetAfterMicros()
        && a.binding().equals(b.binding())
        && a.lease().equals(b.lease())
        && a.limits().equals(b.limits());
  }

  private static String told(List<Decision> decisions) {
    StringBuilder text = new StringBuilder();
    for (Decision d : decisions) {
      text.append(d).append(" at ").append(d.passesAtMicros()).append(" ");
      d.limits()
          .forEach(
              l ->
                  text.append(
                      "[%d left, retry %d, reset %d]"
                          .formatted(l.remaining(), l.retryAfterMicros(), l.resetAfterMicros())));
    }
    return text.toString();
  }

  /** Every key that a history left behind goes by itself, not much later than its limit asks. */
  private String badLife(List<TwinHistory.Step> steps, long startedNanos) {
    long longest = 0;
    for (TwinHistory.Step step : steps) {
      for (int i = 0; i < step.requests().size(); i++) {
        Request request = step.requests().get(i);
        if (request.mode() == Mode.RESERVE) {
          Prepared plan = new Prepared(request.plan());
          longest =
              Math.max(longest, request.timeMicros() + request.maxWaitMicros() + plan.memoryMicros);
        }
        for (var limit : step.expected().get(i).limits()) {
          longest = Math.max(longest, limit.resetAfterMicros());
        }
      }
    }
    List<String> keys =
        ((List<?>) pipeline.command("KEYS", "*")).stream().map(String::valueOf).toList();
    List<Object> ttls = pipeline.commands(keys.stream().map(key -> List.of("PTTL", key)).toList());
    Map<String, Long> least = leastLives(steps);
    long elapsed = (System.nanoTime() - startedNanos) / 1_000_000 + 1;
    for (int i = 0; i < keys.size(); i++) {
      long ttl = (Long) ttls.get(i);
      long needed = least.getOrDefault(keys.get(i), elapsed) - elapsed;
      if (ttl < needed && ttl != -2) {
        return "key '%s': must live at least %d ms, lives %d".formatted(keys.get(i), needed, ttl);
      }
      if ((ttl <= 0 && ttl != -2) || ttl > longest / 1_000 + GRACE_MILLIS + 1) {
        return "key '%s': must live at most %d ms, lives %d"
            .formatted(keys.get(i), longest / 1_000 + GRACE_MILLIS + 1, ttl);
      }
    }
    return null;
  }

  /** What a lease or a reservation had beside its id goes with the id. */
  private String litter() {
    for (Object key : (List<?>) pipeline.command("KEYS", "*")) {
      if (!"zset".equals(pipeline.command("TYPE", key.toString()))) {
        continue;
      }
      List<?> members = (List<?>) pipeline.command("ZRANGE", key.toString(), "0", "-1");
      for (Object member : members) {
        String id = member.toString().replaceFirst(":[ac]?$", "");
        if (!id.isEmpty() && !members.contains(id)) {
          return "key '%s': must not keep '%s' without '%s'".formatted(key, member, id);
        }
      }
    }
    return null;
  }

  /** How long keys must live at least that were charged in the last step that came by them. */
  private Map<String, Long> leastLives(List<TwinHistory.Step> steps) {
    Map<String, Long> lives = new HashMap<>();
    for (TwinHistory.Step step : steps) {
      Request request = step.requests().get(0);
      for (Request any : step.requests()) {
        Call.of(List.of(any), owner, 0).keys().forEach(key -> lives.remove(name(key)));
      }
      Decision decision = step.expected().get(0);
      if (step.requests().size() == 1 && request.takes() && decision.allowed()) {
        List<byte[]> keys = Call.of(List.of(request), owner, 0).keys();
        for (int i = 0; i < decision.limits().size(); i++) {
          long reset = decision.limits().get(i).resetAfterMicros() / 1_000;
          lives.merge(keyOf(request, i), reset + GRACE_MILLIS, Math::max);
        }
        if (request.mode() == Mode.RESERVE) {
          long kept = request.timeMicros() + new Prepared(request.plan()).memoryMicros;
          lives.put(name(keys.get(keys.size() - 1)), kept / 1_000 + GRACE_MILLIS);
        }
      }
    }
    return lives;
  }

  private static String keyOf(Request request, int limit) {
    Plan plan = request.plan();
    byte[] tag = KeyCodec.tag(KeyCodec.policyTag(plan.policy()), plan.policy(), request.key());
    return name(KeyCodec.join(tag, KeyCodec.suffix(plan.limits().get(limit))));
  }

  private static String name(byte[] key) {
    return new String(key, StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() {
    pipeline.close();
  }
}

package dev.sluice.redis;

import dev.sluice.Algorithm;
import dev.sluice.Request;
import dev.sluice.Store;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * One run of a script: the requests as KEYS and ARGV. Requests that are decided together must have
 * keys in one slot where that matters.
 */
record Call(Script script, List<byte[]> keys, List<byte[]> args) {
  /**
   * Encodes requests that are decided together, all or nothing; a single request may be of any
   * mode.
   *
   * @param store the store that what is prepared for a plan belongs to
   * @param nowMicros roughly the server's clock; matters to calendar windows only
   */
  static Call of(List<Request> requests, Store store, long nowMicros) {
    return of(requests, store, nowMicros, 0);
  }

  /** The same requests after a reply that was {@link Reply#undecided}: with what it asked for. */
  static Call again(List<Request> requests, Store store, List<Object> reply) {
    return of(requests, store, Reply.nowMicros(reply), Reply.windowsAhead(reply));
  }

  private static Call of(List<Request> requests, Store store, long around, long ahead) {
    Request first = requests.get(0);
    Prepared plan = prepared(first, store);
    if (requests.size() == 1 && plan.quick && first.mode() == Request.Mode.ACQUIRE) {
      return new Call(
          plan.script, keysOf(first, plan), List.of(plan.ids, plan.rules(first.cost())));
    }
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> args = new ArrayList<>();
    for (Request request : requests) {
      keys.addAll(keysOf(request, prepared(request, store)));
      addArgs(request, prepared(request, store), around, ahead, args);
    }
    return new Call(script(requests, store), keys, args);
  }

  private static Prepared prepared(Request request, Store store) {
    return Prepared.of(request.plan(), store);
  }

  private static Script script(List<Request> requests, Store store) {
    if (requests.size() == 1) {
      return prepared(requests.get(0), store).script;
    }
    Set<Algorithm> algorithms = EnumSet.noneOf(Algorithm.class);
    requests.forEach(request -> algorithms.addAll(prepared(request, store).algorithms));
    return Scripts.of(algorithms);
  }

  private static List<byte[]> keysOf(Request request, Prepared plan) {
    byte[] tag = KeyCodec.tag(plan.policyTag, plan.plan.policy(), request.key());
    List<byte[]> keys = new ArrayList<>(plan.suffixes.size() + 1);
    for (byte[] suffix : plan.suffixes) {
      keys.add(KeyCodec.join(tag, suffix));
    }
    keys.add(KeyCodec.join(tag, KeyCodec.RESERVATIONS));
    return keys;
  }

  private static void addArgs(
      Request request, Prepared plan, long around, long ahead, List<byte[]> args) {
    args.add(word(request.mode()));
    args.add(plan.ids);
    args.add(number(request.cost()));
    String id = request.id();
    switch (request.mode()) {
      case ACQUIRE, PEEK, FORCE, RESET -> {}
      case BOOK -> args.add(number(request.maxWaitMicros()));
      case GIVE_BACK, POSTPONE -> args.add(number(request.timeMicros()));
      case RELEASE, COMMIT -> args.add(Prepared.text(id == null ? "" : id));
      case RESERVE -> {
        args.add(number(request.maxWaitMicros()));
        args.add(Prepared.text(id == null ? "" : id));
        args.add(number(request.timeMicros()));
        args.add(number(request.timeMicros() + plan.memoryMicros));
      }
    }
    plan.addTo(args, request.maxWaitMicros(), id, around, ahead);
  }

  private static byte[] word(Request.Mode mode) {
    return Prepared.text(mode.name().toLowerCase(Locale.ROOT));
  }

  private static byte[] number(long value) {
    return Prepared.text(Long.toString(value));
  }

  /** The same call at an instant of a test's choosing: two arguments that no store ever sends. */
  Call at(long virtualMicros) {
    List<byte[]> more = new ArrayList<>(args);
    more.add(Prepared.text("at"));
    more.add(number(virtualMicros));
    return new Call(script, keys, more);
  }
}

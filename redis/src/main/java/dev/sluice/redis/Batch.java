package dev.sluice.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Groups of requests that are decided by one call of batch.lua. Each group stands for itself: an
 * error of one is no news to the others.
 */
final class Batch implements Parcel {
  static final Script SCRIPT = Scripts.batch();

  // 6.2 says before the error of a command where in the script it ran.
  private static final Pattern WHERE = Pattern.compile("^@user_script: ?\\d+: ");

  /** Plans of one policy share the state of a key: two of them must not meet in one call. */
  private record Who(String policy, String key) {}

  private final UnaryOperator<Call> finish;
  private final Map<Prepared, List<Group>> plans = new LinkedHashMap<>();
  private final Map<Who, Group> known = new HashMap<>();
  private @Nullable Group last;

  /** An empty batch, whose call passes through {@code finish} before it is sent. */
  Batch(UnaryOperator<Call> finish) {
    this.finish = finish;
  }

  /**
   * Adds a plain request, if it can travel with the others.
   *
   * <p>The script reads all states before it writes any, so a key must be in one group only.
   */
  boolean add(Ticket ticket) {
    Prepared plan = ticket.plan();
    String key = ticket.request().key();
    Group group = last;
    if (group == null || !group.isOf(plan, key)) {
      Who who = new Who(plan.plan.policy(), key);
      group = known.get(who);
      if (group == null) {
        group = new Group(plan, key);
        known.put(who, group);
        plans.computeIfAbsent(plan, unknown -> new ArrayList<>()).add(group);
      } else if (!group.isOf(plan, key)) {
        return false;
      }
      last = group;
    }
    group.add(ticket);
    return true;
  }

  int groups() {
    return known.size();
  }

  /** The request that is alone here, which its own script decides as well; else null. */
  @Nullable Ticket only() {
    Group group = last;
    return groups() == 1 && group != null && group.tickets.size() == 1
        ? group.tickets.get(0)
        : null;
  }

  @Override
  public Call call() {
    int groups = groups();
    List<byte[]> keys = new ArrayList<>(groups);
    List<byte[]> args = new ArrayList<>(8 + groups);
    args.add(Prepared.text(Integer.toString(groups)));
    for (Map.Entry<Prepared, List<Group>> members : plans.entrySet()) {
      Prepared plan = members.getKey();
      args.add(plan.ids);
      args.add(Prepared.text(Integer.toString(members.getValue().size())));
      args.add(plan.rules);
      List<Long> costs = new ArrayList<>(members.getValue().size());
      for (Group group : members.getValue()) {
        keys.add(KeyCodec.tag(plan.policyTag, plan.plan.policy(), group.key));
        group.addCosts(costs);
      }
      args.add(Prepared.packed(costs));
    }
    return finish.apply(new Call(SCRIPT, keys, args));
  }

  @Override
  public void answered(List<Object> reply) {
    try {
      BatchReply found = new BatchReply(reply);
      for (List<Group> members : plans.values()) {
        for (Group group : members) {
          String problem = found.next(group.plan, group.asked());
          if (problem == null) {
            group.answer(found.taken(), found.cells());
          } else {
            undecided(group, problem);
          }
        }
      }
    } catch (RuntimeException unreadable) {
      // Only those are told who have not been answered yet.
      failed(new TransportException(RedisFailure.REPLY, "the reply makes no sense", unreadable));
    }
  }

  private static void undecided(Group group, String why) {
    if (why.equals(Group.LEFT)) {
      group.tickets.forEach(Ticket::decideElsewhere);
    } else {
      TransportException problem =
          TransportException.ofReply(WHERE.matcher(why).replaceFirst(""), null);
      group.tickets.forEach(ticket -> ticket.failed(problem));
    }
  }

  @Override
  public void failed(TransportException problem) {
    plans.values().forEach(members -> members.forEach(group -> failed(group, problem)));
  }

  private static void failed(Group group, TransportException problem) {
    group.tickets.forEach(ticket -> ticket.failed(problem));
  }
}

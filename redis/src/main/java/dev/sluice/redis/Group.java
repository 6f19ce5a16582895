package dev.sluice.redis;

import dev.sluice.Decision;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests for one plan and key that travel in one {@link Batch}. The script decides them in order
 * and answers with the state that it found, from which {@link Cells} tells each answer.
 */
final class Group {
  /** What a group's text says where it was not decided, and nothing was done. */
  static final String LEFT = "LEFT";

  // Most keys of a batch are asked for once; one that is not may well be asked for by everybody.
  private static final int FEW = 4;
  private static final int MANY = Lane.MOST_TICKETS;

  final Prepared plan;
  final String key;
  final ArrayList<Ticket> tickets = new ArrayList<>(FEW);

  Group(Prepared plan, String key) {
    this.plan = plan;
    this.key = key;
  }

  boolean isOf(Prepared some, String any) {
    return plan == some && key.equals(any);
  }

  void add(Ticket ticket) {
    if (tickets.size() == FEW) {
      tickets.ensureCapacity(MANY);
    }
    tickets.add(ticket);
  }

  /** The permits of all its requests. */
  long asked() {
    long sum = 0;
    for (Ticket ticket : tickets) {
      sum += ticket.request().cost();
    }
    return sum;
  }

  /** The cost of a single request; else minus the number of runs of equal costs, and these. */
  void addCosts(List<Long> costs) {
    if (tickets.size() == 1) {
      costs.add(tickets.get(0).request().cost());
      return;
    }
    int start = costs.size();
    costs.add(0L);
    long cost = tickets.get(0).request().cost();
    long times = 0;
    for (Ticket ticket : tickets) {
      if (ticket.request().cost() != cost) {
        costs.add(times);
        costs.add(cost);
        cost = ticket.request().cost();
        times = 0;
      }
      times++;
    }
    costs.add(times);
    costs.add(cost);
    costs.set(start, -(costs.size() - start - 1) / 2L);
  }

  /**
   * Tells each request its answer.
   *
   * @param taken what the script says was taken
   * @throws IllegalStateException if that is not what these requests would have taken
   */
  void answer(long taken, Cells cells) {
    List<Decision> decisions = new ArrayList<>(tickets.size());
    for (Ticket ticket : tickets) {
      decisions.add(cells.decide(ticket.request()));
    }
    cells.check(taken);
    for (int i = 0; i < tickets.size(); i++) {
      tickets.get(i).decided(decisions.get(i));
    }
  }
}

package dev.sluice.memory;

import dev.sluice.Algorithm;
import dev.sluice.Decision;
import dev.sluice.LimitDecision;
import dev.sluice.Request;
import dev.sluice.memory.Reservations.Reservation;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * One request under its stripe's lock. Every limit is asked first; the request passes at the one
 * instant that suits them all, and each limit is charged for that instant.
 */
final class Deciding {
  private final InMemoryStore store;
  private final Stripe stripe;
  private final Prepared plan;
  private final Request request;
  private final int hash;
  private final long now;
  private List<Seat<?>> seats;
  private long[] charged = new long[0];
  private long passes;

  Deciding(InMemoryStore store, Stripe stripe, Prepared plan, Request request, int hash, long now) {
    this.store = store;
    this.stripe = stripe;
    this.plan = plan;
    this.request = request;
    this.hash = hash;
    this.now = now;
    this.passes = now;
    this.seats = stripe.seats(plan, request.key(), hash, now);
  }

  Decision run() {
    Decision decision =
        switch (request.mode()) {
          case ACQUIRE, BOOK -> acquire();
          case PEEK -> {
            releaseExpired();
            yield peek();
          }
          case FORCE -> force();
          case GIVE_BACK -> giveBack();
          case POSTPONE -> postpone();
          case RESET -> reset();
          case RELEASE -> release();
          case RESERVE -> reserve();
          case COMMIT -> commit();
        };
    if (stripe.due()) {
      store.forget(stripe.sweep(now));
    }
    return decision;
  }

  private Decision acquire() {
    long[] retries = retries();
    if (!allowed(retries) && releaseExpired()) {
      retries = retries();
    }
    if (!allowed(retries)) {
      seats.forEach(seat -> store.remember(seat.saveIfRestarted()));
      return answer(retries, 0, false);
    }
    charge(request.cost());
    return answer(retries, passes - now, false);
  }

  /** What {@link #acquire} would say; expired reservations have been given back. */
  Decision peek() {
    long[] retries = retries();
    return answer(retries, allowed(retries) ? passes - now : 0, false);
  }

  private Decision force() {
    long[] amounts = seats.stream().mapToLong(s -> s.available(request.cost())).toArray();
    boolean over = Arrays.stream(amounts).anyMatch(amount -> amount < request.cost());
    if (over && releaseExpired()) {
      return force();
    }
    passes = now;
    for (Seat<?> seat : seats) {
      passes = Math.max(passes, seat.passes(now));
    }
    charged = amounts;
    chargeEach();
    return answer(new long[seats.size()], passes - now, over);
  }

  private Decision giveBack() {
    for (Seat<?> seat : seats) {
      seat.refund(request.cost(), request.timeMicros());
      seat.saveIfKnown();
    }
    return answer(new long[seats.size()], 0, false);
  }

  private Decision postpone() {
    for (Seat<?> seat : seats) {
      if (seat.limit.algorithm() == Algorithm.SLIDING_LOG) {
        seat.postpone(request.cost(), request.timeMicros());
        store.remember(seat.save());
      }
    }
    return answer(new long[seats.size()], 0, false);
  }

  private Decision reset() {
    seats.forEach(seat -> store.forget(seat.forget()));
    stripe.reservations.forget(plan, request.key());
    seats = stripe.seats(plan, request.key(), hash, now);
    return answer(new long[seats.size()], 0, false);
  }

  private Decision release() {
    boolean held = false;
    for (Seat<?> seat : seats) {
      held |= seat.release(id());
      seat.saveIfKnown();
    }
    long[] retries = new long[seats.size()];
    Arrays.fill(retries, held ? 0 : Decision.NEVER);
    return answer(retries, 0, false);
  }

  private Decision reserve() {
    releaseExpired();
    Decision decision = acquire();
    if (decision.allowed()) {
      stripe.reservations.add(
          new Reservation(
              plan,
              request.key(),
              id(),
              request.cost(),
              passes,
              now + request.timeMicros(),
              seats.stream().mapToLong(Seat::comesBackBy).toArray()));
    }
    return decision;
  }

  private Decision commit() {
    releaseExpired();
    Reservation reservation = stripe.reservations.find(plan, request.key(), id());
    long[] retries = new long[seats.size()];
    if (reservation == null) {
      Arrays.fill(retries, Decision.NEVER);
    } else if (reservation.actual == null) {
      reservation.actual = request.cost();
      for (int i = 0; i < seats.size(); i++) {
        settle(seats.get(i), reservation, request.cost() - reservation.cost, i);
      }
    } else if (reservation.actual != request.cost()) {
      // Settled otherwise, and so it stays for as long as it is known.
      Arrays.fill(retries, reservation.expires - now);
    }
    return answer(retries, 0, false);
  }

  private void settle(Seat<?> seat, Reservation reservation, long more, int i) {
    if (plan.limits[i].algorithm() == Algorithm.CONCURRENCY) {
      seat.release(id());
    } else if (more < 0) {
      seat.refund(-more, reservation.at, reservation.comesBackBy(i));
    } else {
      charge(seat, seat.available(more), now);
    }
    store.remember(seat.save());
  }

  /** Does for a charge without the lock what it may have to wait for. */
  void releaseIfDenied() {
    if (!allowed(retries())) {
      releaseExpired();
    }
  }

  /** Gives back what reservations of this key took and nobody settled in time. */
  private boolean releaseExpired() {
    List<Reservation> expired = stripe.reservations.takeExpired(plan, request.key(), now);
    for (Reservation reservation : expired) {
      for (int i = 0; i < seats.size(); i++) {
        Seat<?> seat = seats.get(i);
        seat.refund(reservation.cost, reservation.at, reservation.comesBackBy(i));
        seat.release(reservation.id);
        seat.saveIfKnown();
      }
    }
    return !expired.isEmpty();
  }

  private String id() {
    return Objects.requireNonNull(request.id(), "id");
  }

  /** How long each limit asks to wait until the request could be admitted; sets {@link #passes}. */
  private long[] retries() {
    boolean books = request.mode() == Request.Mode.BOOK || request.mode() == Request.Mode.RESERVE;
    long[] rooms = seats.stream().mapToLong(seat -> seat.earliest(request.cost())).toArray();
    long from = books ? Arrays.stream(rooms).reduce(now, Math::max) : now;
    passes = from;
    for (Seat<?> seat : seats) {
      passes = Math.max(passes, seat.passes(from));
    }
    long[] retries = new long[rooms.length];
    for (int i = 0; i < rooms.length; i++) {
      long retry = books ? retryBooking(seats.get(i), rooms[i]) : retry(seats.get(i), rooms[i]);
      retries[i] = Math.max(retry, passes - seats.get(i).reach());
    }
    return retries;
  }

  /** A queue must have a place now; a limit that counts must have room when the queue lets pass. */
  private long retry(Seat<?> seat, long room) {
    return seat.books() && room <= passes ? 0 : room - now;
  }

  private long retryBooking(Seat<?> seat, long room) {
    return seat.books() || room == now
        ? Math.max(0, seat.passes(room) - request.maxWaitMicros() - now)
        : room - now;
  }

  private static boolean allowed(long[] retries) {
    return Arrays.stream(retries).allMatch(retry -> retry == 0);
  }

  private void charge(long cost) {
    charged = new long[seats.size()];
    Arrays.fill(charged, cost);
    chargeEach();
  }

  private void chargeEach() {
    for (int i = 0; i < seats.size(); i++) {
      charge(seats.get(i), charged[i], passes);
      store.remember(seats.get(i).save());
    }
  }

  /** Of nothing there is nothing to remember. */
  private void charge(Seat<?> seat, long cost, long at) {
    if (cost > 0) {
      seat.charge(cost, at, request.id());
    }
  }

  void undo() {
    for (int i = 0; i < seats.size(); i++) {
      seats.get(i).undo(charged[i], passes, request.id());
      store.remember(seats.get(i).save());
    }
  }

  private Decision answer(long[] retries, long wait, boolean forced) {
    LimitDecision[] limits = new LimitDecision[retries.length];
    for (int i = 0; i < retries.length; i++) {
      limits[i] = seats.get(i).says(retries[i]);
    }
    return Decision.of(request, allowed(retries), limits, wait, now + wait, forced);
  }
}

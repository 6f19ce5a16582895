package dev.sluice.algorithm;

import dev.sluice.Limit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * At most N held at once; each hold ends when it is released or when its lease does. Twin of
 * concurrency.lua.
 *
 * <p>The clock may step back by up to a lease before holds are cut to one lease from now, so no
 * permit of a crashed holder is gone for longer than two leases.
 */
public final class Concurrency implements Arithmetic<Leases> {
  /** Stateless. */
  public static final Concurrency INSTANCE = new Concurrency();

  private Concurrency() {}

  @Override
  public Leases fresh(Limit limit, long now) {
    return new Leases();
  }

  @Override
  public Leases settle(Leases leases, Limit limit, long now) {
    if (!stranded(leases, limit, now)) {
      return leases;
    }
    Leases restarted = leases.endingBy(now + limit.perMicros());
    restarted.seen(now);
    return restarted;
  }

  @Override
  public boolean stranded(Leases leases, Limit limit, long now) {
    long per = limit.perMicros();
    return leases.lastEnd() > now + 2 * per && leases.seen() > now + per;
  }

  @Override
  public long earliest(Leases leases, Limit limit, long cost, long now) {
    long over = leases.heldAt(now) + cost - limit.permits();
    return over <= 0 ? now : leases.endOf(over, now);
  }

  /** Nobody knows when a holder will release. */
  @Override
  public boolean books() {
    return false;
  }

  @Override
  public Leases charge(
      Leases leases, Limit limit, long cost, long now, long at, @Nullable String id) {
    leases.dropEnded(now);
    boolean ahead = leases.lastEnd() > now + limit.perMicros();
    leases.seen(ahead ? Math.max(now, leases.seen()) : now);
    leases.hold(Objects.requireNonNull(id, "id"), cost, at + limit.perMicros());
    return leases;
  }

  /** Held permits are released by name, not given back by number. */
  @Override
  public Leases refund(Leases leases, Limit limit, long cost, long now, long at, long by) {
    return leases;
  }

  @Override
  public Leases undo(Leases before, Leases charged, long cost, long at, @Nullable String id) {
    charged.release(Objects.requireNonNull(id, "id"));
    return charged;
  }

  /** Ends the hold of that name. */
  public boolean release(Leases leases, long now, String id) {
    leases.dropEnded(now);
    return leases.release(id);
  }

  @Override
  public long remaining(Leases leases, Limit limit, long now) {
    return Math.max(0, limit.permits() - leases.heldAt(now));
  }

  @Override
  public long resetAt(Leases leases, Limit limit, long now) {
    return leases.lastEnd();
  }
}

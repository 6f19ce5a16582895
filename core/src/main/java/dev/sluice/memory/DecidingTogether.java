package dev.sluice.memory;

import dev.sluice.Decision;
import dev.sluice.Request;
import java.util.ArrayList;
import java.util.List;

/**
 * Several requests as one. All their stripes are locked, in the order of their numbers, so that two
 * of these never wait for each other.
 */
final class DecidingTogether {
  private final InMemoryStore store;
  private final List<Request> requests;
  private final int[] hashes;
  private final long now;
  // A bit for each stripe.
  private long locked;
  private long claimed;

  DecidingTogether(InMemoryStore store, List<Request> requests, long now) {
    this.store = store;
    this.requests = new ArrayList<>(requests);
    this.hashes = requests.stream().mapToInt(request -> store.hash(request.key())).toArray();
    this.now = now;
    for (int hash : hashes) {
      locked |= 1L << InMemoryStore.stripeIndex(hash);
    }
  }

  List<Decision> run() {
    while (true) {
      for (long left = locked; left != 0; left &= left - 1) {
        store.stripe(Long.numberOfTrailingZeros(left)).lock();
      }
      try {
        if (claimAll()) {
          return decide();
        }
      } finally {
        store.forget(claimed);
        claimed = 0;
        for (long left = locked; left != 0; left &= left - 1) {
          store.stripe(Long.numberOfTrailingZeros(left)).leave();
        }
      }
      locked |= 1L << InMemoryStore.stripeIndex(store.hash(InMemoryStore.OVERFLOW));
    }
  }

  /**
   * Whether there is room for every key. Where there is not, the request moves to the shared key.
   */
  private boolean claimAll() {
    boolean all = true;
    for (int i = 0; i < hashes.length; i++) {
      Request request = requests.get(i);
      Prepared plan = store.prepared(request.plan());
      Stripe stripe = stripe(i);
      boolean known = request.key().isEmpty() || stripe.knows(plan, request.key(), hashes[i]);
      int places = known ? 0 : plan.limits.length;
      if (store.claim(places, stripe, plan, hashes[i], now)) {
        claimed += places;
      } else {
        all = false;
        requests.set(i, InMemoryStore.withKey(request, InMemoryStore.OVERFLOW));
        hashes[i] = store.hash(InMemoryStore.OVERFLOW);
      }
    }
    return all;
  }

  /** Charges in order; on the first denial takes everything back and asks the others again. */
  private List<Decision> decide() {
    List<Deciding> charged = new ArrayList<>();
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < hashes.length; i++) {
      Deciding deciding = deciding(i);
      Decision decision = deciding.run();
      decisions.add(decision);
      if (!decision.allowed()) {
        for (int j = charged.size() - 1; j >= 0; j--) {
          charged.get(j).undo();
        }
        return peekAround(i, decision);
      }
      charged.add(deciding);
    }
    return decisions;
  }

  private List<Decision> peekAround(int denied, Decision decision) {
    List<Decision> decisions = new ArrayList<>();
    for (int i = 0; i < hashes.length; i++) {
      decisions.add(i == denied ? decision : deciding(i).peek());
    }
    return decisions;
  }

  private Deciding deciding(int i) {
    Request request = requests.get(i);
    Prepared plan = store.prepared(request.plan());
    return new Deciding(store, stripe(i), plan, request, hashes[i], now);
  }

  private Stripe stripe(int i) {
    return store.stripe(InMemoryStore.stripeIndex(hashes[i]));
  }
}

package dev.sluice.tier;

import dev.sluice.Decision;
import dev.sluice.Leasing;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The keys of a leased plan that have slices. All others are decided exactly. */
final class LeasedPlan {
  // What is known of a key takes some hundred bytes; more keys than this are decided exactly.
  private static final int MOST_KEYS = 10_000;
  // Admitted this often in half a lease, a key is worth a slice.
  private static final long BUSY = 4;
  private static final long LONGEST_PAUSE = 5_000_000;

  final Leasing leasing;

  /** The largest slice: half the bound, so that one can be taken while one is used. */
  final long largest;

  private final double nanosAPermit;
  private final Lender lender;
  private final Demand demand;
  private final ConcurrentHashMap<String, LeasedKey> keys = new ConcurrentHashMap<>();

  LeasedPlan(Leasing leasing, Lender lender, Demand demand) {
    this.leasing = leasing;
    this.lender = lender;
    this.demand = demand;
    this.largest = leasing.most() / 2;
    this.nanosAPermit =
        leasing.exact().limits().stream()
            .mapToDouble(limit -> 1_000.0 * limit.perMicros() / limit.permits())
            .max()
            .orElseThrow();
  }

  /** How long nobody asks after a denial: until a slice has come back, or 5 ms. */
  long pauseNanos(long size) {
    return (long) Math.min(nanosAPermit * size, LONGEST_PAUSE);
  }

  /** Whether slices are worth their while at all. */
  boolean lends() {
    return largest >= LeasedKey.SMALLEST;
  }

  @Nullable LeasedKey find(String key) {
    return keys.get(key);
  }

  /** Counts what was admitted one by one; true if the key has slices from now on. */
  boolean admitted(String key, Decision answer, long now) {
    if (!answer.allowed()
        || demand.count(leasing.exact().policy(), key, now) < BUSY
        || keys.size() >= MOST_KEYS) {
      return false;
    }
    LeasedKey made = new LeasedKey(this, lender, key, Math.min(BUSY, largest), now);
    return keys.putIfAbsent(key, made) == null;
  }

  /** Looks after all keys; false when none has a slice. */
  boolean tend(long now) {
    keys.forEach(
        (key, slices) -> {
          if (!slices.tend(now)) {
            keys.remove(key, slices);
          }
        });
    return !keys.isEmpty();
  }

  boolean isEmpty() {
    return keys.isEmpty();
  }

  void close(long now) {
    keys.values().forEach(slices -> slices.close(now));
  }

  long left() {
    return keys.values().stream().mapToLong(LeasedKey::left).sum();
  }
}

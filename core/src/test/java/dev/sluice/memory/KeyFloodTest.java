package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.testkit.FakeClock;
import dev.sluice.testkit.SampleLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A flood of new keys: the cap holds, and nobody who is known notices. */
class KeyFloodTest {
  private static final int CAP = 500;
  private static final Duration DAY = Duration.ofDays(1);

  private final FakeClock clock = FakeClock.steady();
  private final InMemoryStore store = new InMemoryStore(clock, CAP);
  private final Sluice sluice = Sluice.of(store);

  static List<Limit> limits() {
    return List.of(
        Limit.tokenBucket(10, DAY),
        Limit.tokenBucket(10, DAY).initial(9),
        Limit.fixedWindow(10, DAY),
        Limit.slidingLog(10, DAY),
        Limit.slidingWindow(10, DAY),
        Limit.leakyBucket(10, DAY).queue(9),
        Limit.concurrency(10).lease(DAY));
  }

  @ParameterizedTest
  @MethodSource("limits")
  void exhaustedKeyIsNeverFreedAndNewKeysShareOneLimit(Limit limit) {
    RateLimiter limiter = sluice.limiter("p", limit);
    limiter.force("exhausted", limit.capacity());
    limiter.tryAcquire("known", 3);
    long known = limiter.peek("known").remaining();
    int passed = 0;
    for (int i = 0; i < 5_000; i++) {
      passed += limiter.tryAcquire("flood" + i).allowed() ? 1 : 0;
      if (i % 1_000 == 0) {
        assertThat(limiter.tryAcquire("exhausted").allowed()).isFalse();
      }
    }
    assertThat(store.size()).isEqualTo(CAP);
    // Each key that found a place passed, and all others together had the permits of one key.
    assertThat(passed).isEqualTo(CAP - 2 + limit.initial());
    assertThat(limiter.peek("known").remaining()).isEqualTo(known);
    assertThat(limiter.tryAcquire("known").allowed()).isTrue();
    assertThat(limiter.tryAcquire("newcomer").allowed()).isFalse();
    assertThat(limiter.peek("newcomer").remaining()).isZero();
    clock.advance(Duration.ofDays(4));
    assertThat(store.size()).isZero();
    assertThat(limiter.peek("newcomer").remaining()).isEqualTo(limit.initial());
  }

  @Test
  void keysTakenTogetherStayWithinTheCap() {
    sluice.limiter("p", Limit.fixedWindow(10, DAY));
    int passed = 0;
    for (int i = 0; i < 100; i++) {
      int start = 20 * i;
      List<Check> checks =
          IntStream.range(start, start + 20).mapToObj(k -> new Check("p", "k" + k)).toList();
      passed += sluice.tryAcquireTogether(checks).stream().allMatch(Decision::allowed) ? 1 : 0;
    }
    assertThat(store.size()).isLessThanOrEqualTo(CAP);
    assertThat(passed).isBetween(20, 25);
  }

  @Test
  void whatWasTakenWithoutAPlaceCanBeGivenBack() {
    RateLimiter limiter = sluice.limiter("p", SampleLimits.concurrency());
    for (int i = 0; i < CAP; i++) {
      limiter.tryAcquire("flood" + i);
    }
    Decision held = limiter.tryAcquire("late", 5);
    assertThat(held.allowed()).isTrue();
    assertThat(limiter.tryAcquire("later").allowed()).isFalse();
    assertThat(sluice.release(held.lease().orElseThrow())).isTrue();
    assertThat(sluice.release(held.lease().orElseThrow())).isFalse();
    assertThat(limiter.tryAcquire("later").allowed()).isTrue();
  }

  @Test
  void reservationMadeWithoutAPlaceIsSettledWhenThereIsRoomAgain() {
    RateLimiter limiter = sluice.limiter("p", Limit.slidingLog(10, DAY));
    for (int i = 0; i < CAP; i++) {
      limiter.tryAcquire("flood" + i);
    }
    String id = limiter.reserve("late", 8, Duration.ZERO, DAY).id();
    assertThat(limiter.peek("later").remaining()).isEqualTo(2);
    limiter.reset("flood0");
    assertThat(limiter.commit(id, 1)).isTrue();
    assertThat(limiter.tryAcquire("takes the free place").remaining()).isEqualTo(9);
    assertThat(limiter.peek("later").remaining()).isEqualTo(9);
  }

  @Test
  void resetOfAnUnknownKeyDoesNotFreeTheFlood() {
    RateLimiter limiter = sluice.limiter("p", Limit.fixedWindow(10, DAY));
    for (int i = 0; i < CAP + 10; i++) {
      limiter.tryAcquire("flood" + i);
    }
    limiter.reset("unknown");
    assertThat(limiter.tryAcquire("newcomer").allowed()).isFalse();
    assertThat(limiter.refund("unknown", 1).remaining()).isEqualTo(1);
  }

  @Test
  void keysThatCollideAreKeptApartAndBounded() {
    RateLimiter limiter = sluice(1_000_000).limiter("p", Limit.tokenBucket(1, DAY));
    List<String> colliding = collidingKeys(4_096);
    assertThat(colliding.stream().mapToInt(String::hashCode).distinct()).hasSize(1);
    int passed = 0;
    for (String key : colliding) {
      passed += limiter.tryAcquire(key).allowed() ? 1 : 0;
    }
    // So many have a place of their own, one more passes for all the others.
    assertThat(passed).isEqualTo(512 + 1);
    for (String key : colliding) {
      assertThat(limiter.tryAcquire(key).allowed()).isFalse();
    }
    assertThat(limiter.tryAcquire("somebody else").allowed()).isTrue();
  }

  private Sluice sluice(long cap) {
    return Sluice.of(new InMemoryStore(clock, cap));
  }

  /** "Aa" and "BB" have the same hash, and so has every mix of them. */
  private static List<String> collidingKeys(int count) {
    List<String> keys = new ArrayList<>(List.of(""));
    while (keys.size() < count) {
      keys = keys.stream().flatMap(key -> List.of(key + "Aa", key + "BB").stream()).toList();
    }
    return keys;
  }
}

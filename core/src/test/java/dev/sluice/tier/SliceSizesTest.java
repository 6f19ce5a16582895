package dev.sluice.tier;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Tier;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much is taken ahead: about what a process uses in a quarter of a lease. */
class SliceSizesTest {
  private final FakeClock clock = new FakeClock();
  private final CountingStore store = new CountingStore(new InMemoryStore(clock, 1_000));
  private final TieredStore tiers =
      new TieredStore(store, Duration.ZERO, () -> clock.nowMicros() * 1_000);
  private final RateLimiter limiter =
      Sluice.of(tiers)
          .limiter(
              Policy.named("p")
                  .limits(List.of(Limit.fixedWindow(10_000_000, Duration.ofHours(1))))
                  .tier(Tier.LEASED)
                  .maxLeased(20_000)
                  .build());

  private void take(int times, Duration apart) {
    for (int i = 0; i < times; i++) {
      assertThat(limiter.tryAcquire("k").allowed()).isTrue();
      clock.advance(apart);
    }
  }

  /** Sizes of the slices taken so far, each once. */
  private List<Long> sizes() {
    return List.copyOf(store.asked).stream()
        .filter(request -> request.id() != null && request.mode() == Request.Mode.ACQUIRE)
        .map(Request::cost)
        .distinct()
        .toList();
  }

  @Test
  void sliceThatIsUsedUpAtOnceIsFollowedByOneSixteenTimesAsLarge() {
    take(50_000, Duration.ZERO);
    assertThat(sizes()).containsExactly(4L, 64L, 1_024L, 10_000L);
  }

  /** Four permits in 40 ms are 25 in the 250 of a quarter; as whole slices, 24. */
  @ParameterizedTest
  @CsvSource({"10, 24", "25, 8", "50, 8"})
  void sliceGrowsToWhatIsUsedInAQuarterOfALeaseAndAtLeastTwice(int millisApart, long next) {
    take(4, Duration.ZERO);
    take(30, Duration.ofMillis(millisApart));
    assertThat(sizes()).startsWith(4L, next);
  }

  @Test
  void sliceThatLastsLongEnoughIsFollowedByOneOfItsSize() {
    take(100, Duration.ofMillis(70));
    assertThat(sizes()).containsExactly(4L);
  }

  @Test
  void sliceOfWhichMostComesBackIsFollowedByHalf() {
    take(20_000, Duration.ZERO);
    assertThat(tiers.leased("p")).as("one in use, one to follow").isGreaterThan(10_000);
    tiers.tend();
    clock.advance(Duration.ofMillis(250));
    take(1, Duration.ZERO);
    tiers.tend();
    assertThat(tiers.leased("p")).isLessThan(10_000);
    store.asked.clear();
    take(1, Duration.ZERO);
    assertThat(sizes()).containsExactly(5_000L);
  }
}

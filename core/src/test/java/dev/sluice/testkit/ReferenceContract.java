package dev.sluice.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.RateLimiter;
import dev.sluice.Reservation;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every store answers as the memory store does, step by step, whatever is asked. */
public interface ReferenceContract extends StoreUnderTest {
  /** Each limit alone, and some in company, with some seeds. */
  static Stream<Arguments> plans() {
    Duration second = Duration.ofSeconds(1);
    Stream<List<Limit>> together =
        Stream.of(
            List.of(Limit.tokenBucket(10, second), Limit.fixedWindow(30, Duration.ofSeconds(7))),
            List.of(Limit.leakyBucket(10, second).queue(5), Limit.slidingLog(20, second)),
            List.of(Limit.slidingWindow(9, second), Limit.counter(9, second)),
            List.of(SampleLimits.concurrency(), Limit.tokenBucket(20, second)));
    Stream<List<Limit>> alone =
        Stream.concat(
                SampleLimits.all().stream(),
                Stream.of(SampleLimits.borrowing(), SampleLimits.concurrency()))
            .map(List::of);
    return Stream.concat(alone, together)
        .flatMap(limits -> Stream.of(1L, 2L, 3L).map(seed -> Arguments.of(limits, seed)));
  }

  @ParameterizedTest
  @MethodSource("dev.sluice.testkit.ReferenceContract#plans")
  default void answersAsTheMemoryStore(List<Limit> limits, long seed) {
    withSluice(
        (sluice, clock) -> {
          try (Sluice reference = Sluice.of(InMemoryStore.keepingAll(clock))) {
            Limit[] all = limits.toArray(Limit[]::new);
            Twin real = new Twin(sluice, sluice.limiter("p", all));
            Twin expected = new Twin(reference, reference.limiter("p", all));
            SplittableRandom random = new SplittableRandom(seed);
            int step = 0;
            for (Histories.Step next : Histories.withStepsBack(seed, limits.get(0), 150)) {
              long pause = next.pauseMicros();
              clock.advanceMicros(clockStepsBack() ? pause : Math.abs(pause));
              int verb = random.nextInt(12);
              String key = random.nextInt(4) == 0 ? "other" : "k";
              assertThat(real.ask(verb, key, next.cost()))
                  .as("seed %d, step %d, verb %d, %s", seed, step++, verb, next)
                  .isEqualTo(expected.ask(verb, key, next.cost()));
            }
          }
        });
  }

  /** One of the two stores, with what it gave out last. */
  final class Twin {
    private final Sluice sluice;
    private final RateLimiter limiter;
    private String reservation = "";
    private String lease = "";

    private Twin(Sluice sluice, RateLimiter limiter) {
      this.sluice = sluice;
      this.limiter = limiter;
    }

    private Object ask(int verb, String key, long cost) {
      return switch (verb) {
        case 0 -> limiter.peek(key, cost);
        case 1 -> limiter.force(key, cost);
        case 2 -> limiter.refund(key, cost);
        case 3 -> reserve(key, cost, Duration.ofSeconds(3));
        case 4 -> reserve(key, cost, Duration.of(1, ChronoUnit.MICROS));
        case 5 -> reservation.isEmpty() || limiter.commit(reservation, cost / 2);
        case 6 -> reservation.isEmpty() || limiter.commit(reservation, cost);
        case 7 -> lease.isEmpty() || sluice.release(lease);
        default -> {
          Decision decision = limiter.tryAcquire(key, cost);
          decision.lease().ifPresent(given -> lease = given);
          yield decision;
        }
      };
    }

    private Decision reserve(String key, long cost, Duration maxWait) {
      Reservation made = limiter.reserve(key, cost, maxWait, Duration.ofSeconds(2));
      if (made.allowed()) {
        reservation = made.id();
      }
      return made.decision();
    }
  }
}

package dev.sluice.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Gate;
import dev.sluice.Limit;
import dev.sluice.Plan;
import dev.sluice.RateLimiter;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.testkit.FakeClock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A key that is asked for over and over is found without a search, wherever its bucket goes. */
class HotKeyTest {
  private static final String HOT = "hot";
  private static final int PERMITS = 1_000;

  private final FakeClock clock = FakeClock.steady();
  private final InMemoryStore memory = new InMemoryStore(clock, 100_000);
  private final Watched watched = new Watched();
  private final RateLimiter limiter =
      Sluice.of(watched).limiter("p", Limit.tokenBucket(PERMITS, Duration.ofDays(30)));

  /** The memory store, and the short way that it gave. */
  private final class Watched implements Store {
    private @Nullable QuickBucket bucket;

    @Override
    public Gate gate(Plan plan, Gate otherwise) {
      bucket = (QuickBucket) memory.gate(plan, otherwise);
      return bucket;
    }

    @Override
    public Decision decide(Request request) {
      return memory.decide(request);
    }

    @Override
    public List<Decision> decideTogether(List<Request> requests) {
      return memory.decideTogether(requests);
    }

    @Override
    public void close() {}
  }

  private String found() {
    return Objects.requireNonNull(watched.bucket).hot();
  }

  /** Asks when something is due. */
  private Decision ask(String key) {
    clock.advance(Duration.ofMillis(60));
    return limiter.tryAcquire(key);
  }

  private void heat() {
    for (int i = 0; i <= Slots.OFTEN; i++) {
      assertThat(found()).isEmpty();
      assertThat(ask(HOT).remaining()).isEqualTo(PERMITS - 1 - i);
    }
    assertThat(found()).isSameAs(HOT);
  }

  private String besides(String key) {
    int stripe = InMemoryStore.stripeIndex(memory.hash(key));
    return IntStream.range(0, 10_000)
        .mapToObj(i -> "other" + i)
        .filter(other -> InMemoryStore.stripeIndex(memory.hash(other)) == stripe)
        .findFirst()
        .orElseThrow();
  }

  private void assertThatSoManyAreLeft(int left) {
    for (int i = left - 1; i >= 0; i--) {
      assertThat(limiter.tryAcquire(HOT).remaining()).isEqualTo(i);
    }
    assertThat(limiter.tryAcquire(HOT).allowed()).isFalse();
  }

  @Test
  void hotKeyIsChargedLikeAnyOther() {
    heat();
    assertThatSoManyAreLeft(PERMITS - 1 - Slots.OFTEN);
  }

  @Test
  void nobodyElseIsChargedForAHotKey() {
    for (int i = 0; i < 10_000; i++) {
      limiter.tryAcquire("new" + i);
    }
    for (int i = 0; i < 30; i++) {
      String hot = "hot" + i;
      for (int asked = 1; asked <= 10; asked++) {
        // Once it is hot, when nothing is due.
        boolean due = asked <= Slots.OFTEN + 1;
        Decision decision = due ? ask(hot) : limiter.tryAcquire(hot);
        assertThat(decision.remaining()).isEqualTo(PERMITS - asked);
        assertThat(limiter.peek(hot).remaining()).isEqualTo(PERMITS - asked);
      }
      assertThat(found()).isSameAs(hot);
    }
  }

  @Test
  void keysThatComeInTurnAreNotHot() {
    String other = besides(HOT);
    for (int i = 0; i < 10; i++) {
      ask(HOT);
      ask(other);
    }
    assertThat(found()).isEmpty();
  }

  @Test
  void anotherKeyMayGetHot() {
    heat();
    String other = besides(HOT);
    for (int i = 0; i <= Slots.OFTEN; i++) {
      ask(other);
    }
    assertThat(found()).isSameAs(other);
    assertThatSoManyAreLeft(PERMITS - 1 - Slots.OFTEN);
  }

  @Test
  void bucketThatMovesIsChargedWhereItIs() {
    heat();
    for (int i = 0; i < 10_000; i++) {
      limiter.tryAcquire("new" + i);
    }
    assertThatSoManyAreLeft(PERMITS - 1 - Slots.OFTEN);
  }

  @Test
  void hotKeyThatIsResetIsFull() {
    heat();
    limiter.reset(HOT);
    assertThatSoManyAreLeft(PERMITS);
  }

  @Test
  void hotKeyThatWasForgottenIsFull() {
    heat();
    clock.advance(Duration.ofDays(60));
    assertThat(memory.size()).isZero();
    assertThatSoManyAreLeft(PERMITS);
    assertThat(memory.size()).isOne();
  }

  @Test
  @SuppressWarnings("StringConstructor") // another string with the same text
  void hotKeyInAnotherStringIsTheSameKey() {
    heat();
    assertThat(limiter.tryAcquire(new String(HOT)).remaining())
        .isEqualTo(PERMITS - 2 - Slots.OFTEN);
    assertThatSoManyAreLeft(PERMITS - 2 - Slots.OFTEN);
  }
}

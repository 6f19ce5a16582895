package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SluiceTest {
  private static final Limit LIMIT = Limit.fixedWindow(10, Duration.ofDays(1));

  private final Sluice sluice = Sluice.of(new InMemoryStore(new FakeClock(), 100));

  @Test
  void storesAreFoundWhateverTheThreadsLoaderKnows() throws Exception {
    FutureTask<Boolean> task =
        new FutureTask<>(() -> Sluice.inMemory().limiter("p", LIMIT).tryAcquire("k").allowed());
    Thread thread = new Thread(task);
    thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
    thread.start();
    assertThat(task.get()).isTrue();
  }

  @Test
  void memoryNeedsNothingInstalled() {
    try (Sluice memory = Sluice.inMemory()) {
      assertThat(memory.limiter("p", LIMIT).tryAcquire("k").allowed()).isTrue();
      assertThat(memory)
          .hasToString(
              "Sluice on memory store, 1 of at most 1000000 keys with"
                  + " [p [fixed-window: fixed-window 10 per 1d] on-store-failure allow]");
    }
  }

  @Test
  void addressThatNobodyUnderstandsIsNamedWithoutItsSecrets() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sluice.redis("redis://user:secret@host"))
        .withMessage(
            "store 'redis:…': no store on the path understands this address;"
                + " redis needs sluice-redis");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sluice.open("disk"))
        .withMessage(
            "store 'disk': no store on the path understands this address;"
                + " redis needs sluice-redis");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sluice.checkAddress("disk:secret"))
        .withMessage(
            "store 'disk:…': no store on the path understands this address;"
                + " redis needs sluice-redis");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sluice.checkAddress("secret@host:6379"))
        .withMessage(
            "store '…': no store on the path understands this address;"
                + " redis needs sluice-redis");
    assertThatNoException().isThrownBy(() -> Sluice.checkAddress("memory"));
  }

  @Test
  void closingClosesTheStore() {
    List<String> closed = new ArrayList<>();
    Store store =
        new Store() {
          @Override
          public Decision decide(Request request) {
            throw new AssertionError();
          }

          @Override
          public List<Decision> decideTogether(List<Request> requests) {
            throw new AssertionError();
          }

          @Override
          public void close() {
            closed.add("store");
          }
        };
    Sluice.of(store).close();
    assertThat(closed).containsExactly("store");
  }

  @Test
  void policiesAreReplacedAllAtOnce() {
    RateLimiter a = sluice.limiter("a", LIMIT);
    RateLimiter b = sluice.limiter("b", LIMIT);
    sluice.policies(List.of(Policy.of("b", Limit.fixedWindow(5, Duration.ofDays(1)))));
    assertThat(sluice.limiter("a")).isEmpty();
    assertThat(sluice.limiter("b")).containsSame(b);
    assertThat(sluice.policies()).extracting(Policy::name).containsExactly("b");
    assertThat(b.policy().limits().get(0).permits()).isEqualTo(5);
    assertThat(a.tryAcquire("k").allowed()).isTrue();
    List<Policy> twice = List.of(Policy.of("x", LIMIT), Policy.of("x", LIMIT));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sluice.policies(twice))
        .withMessage("policy names must differ, got 'x' twice");
    assertThat(sluice.limiter("x")).isEmpty();
  }

  @Test
  void limiterFollowsAPolicyThatWasPutBack() {
    RateLimiter limiter = sluice.limiter("p", LIMIT);
    limiter.tryAcquire("k", 3);
    sluice.policies(List.of());
    assertThat(sluice.limiter("p")).isEmpty();
    RateLimiter found = sluice.limiter("p", Limit.fixedWindow(4, Duration.ofDays(1)));
    assertThat(limiter.policy()).isSameAs(found.policy());
    assertThat(limiter.tryAcquire("k").allowed()).isTrue();
    assertThat(limiter.tryAcquire("k").allowed()).isFalse();
    sluice.policies(List.of(Policy.of("p", LIMIT)));
    assertThat(limiter.tryAcquire("k").remaining()).isEqualTo(5);
  }

  @Test
  void limiterOfAPolicyThatIsGoneIsKeptByThoseWhoUseItOnly() {
    WeakReference<RateLimiter> left = new WeakReference<>(sluice.limiter("p", LIMIT));
    sluice.policies(List.of());
    for (int i = 0; i < 100 && left.get() != null; i++) {
      System.gc();
    }
    assertThat(left.get()).isNull();
    assertThat(sluice.limiter("p", LIMIT).tryAcquire("k").allowed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a.b",
        "cA.AGs.short",
        "!.AGs.0123456789012345678901",
        ".AGs.0123456789012345678901",
        "cA..0123456789012345678901",
        "cA.AGs.0123456789012345678901.x",
        "cA.AGs.0123456789012345678901.1.1"
      })
  void leaseThatWasNeverGivenOutIsRefused(String lease) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sluice.release(lease))
        .withMessage("lease must be an id as it was given out, got '%s'", lease);
  }

  @Test
  void longNonsenseIsShownInPart() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sluice.release("x".repeat(1_000)))
        .withMessage("lease must be an id as it was given out, got '%s…'", "x".repeat(80));
  }

  @Test
  void leaseOfAPolicyThatIsGoneIsNotHeld() {
    RateLimiter limiter = sluice.limiter("p", Limit.concurrency(1));
    String lease = limiter.tryAcquire("k").lease().orElseThrow();
    sluice.policies(List.of());
    assertThat(sluice.release(lease)).isFalse();
  }

  @Test
  void checksThatMakeNoSenseAreRefused() {
    sluice.limiter("p", LIMIT);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sluice.tryAcquireTogether(List.of()))
        .withMessage("checks must be from 1 to 100, got 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sluice.tryAcquireTogether(Collections.nCopies(101, new Check("p", "k"))))
        .withMessage("checks must be from 1 to 100, got 101");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sluice.tryAcquireTogether(List.of(new Check("q", "k"))))
        .withMessage("unknown policy 'q'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sluice.tryAcquireTogether(List.of(new Check("p", ""))))
        .withMessage("key must not be empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> sluice.tryAcquireTogether(List.of(new Check("p", "k", 0))))
        .withMessage("cost must be from 1 to 1099511627776, got 0");
    assertThat(sluice.tryAcquireTogether(Collections.nCopies(10, new Check("p", "k"))))
        .allMatch(Decision::allowed);
  }

  @Test
  void shadowAndUnlimitedDoNotStopTheOthers() {
    RateLimiter strict = sluice.limiter("strict", LIMIT);
    RateLimiter shadow =
        sluice.limiter(
            Policy.named("shadow")
                .limits(List.of(Limit.fixedWindow(1, Duration.ofDays(1))))
                .key(KeyRule.unlimited("free"))
                .key(KeyRule.deny("bad"))
                .shadow(true)
                .build());
    List<String> heard = new ArrayList<>();
    sluice.listener((policy, decision, nanos) -> heard.add(policy.name()));
    List<Check> checks =
        List.of(
            new Check("strict", "k"),
            new Check("shadow", "k"),
            new Check("shadow", "free"),
            new Check("shadow", "bad"),
            new Check("shadow", "k", 2));
    assertThat(sluice.tryAcquireTogether(checks)).allMatch(Decision::allowed);
    assertThat(heard).containsExactly("strict", "shadow", "shadow", "shadow", "shadow");
    List<Decision> again = sluice.tryAcquireTogether(checks);
    assertThat(again).extracting(Decision::shadow).containsExactly(false, true, false, true, true);
    assertThat(strict.peek("k").remaining()).isEqualTo(8);
    strict.tryAcquire("k", 8);
    shadow.reset("k");
    // The strict one denies: the shadow is only asked.
    assertThat(sluice.tryAcquireTogether(checks).get(0).allowed()).isFalse();
    assertThat(shadow.peek("k").remaining()).isEqualTo(1);
  }

  @Test
  void deniedKeyStopsTheOthers() {
    RateLimiter limiter =
        sluice.limiter(Policy.named("p").limits(List.of(LIMIT)).key(KeyRule.deny("bad")).build());
    List<Decision> decisions =
        sluice.tryAcquireTogether(List.of(new Check("p", "k"), new Check("p", "bad")));
    assertThat(decisions).extracting(Decision::allowed).containsExactly(true, false);
    assertThat(limiter.peek("k").remaining()).isEqualTo(10);
  }

  @Test
  void systemClockGoesOnByItself() {
    MicroClock clock = MicroClock.system();
    long before = System.currentTimeMillis() * 1_000;
    assertThat(clock.nowMicros()).isBetween(before - 60_000_000, before + 60_000_000);
    long first = clock.nowMicros();
    assertThat(clock.nowMicros()).isGreaterThanOrEqualTo(first);
  }
}

package dev.sluice.tier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Permits are taken all or none, by many threads at once, and no more than there are. */
class PermitsTest {
  private static final long HANDFUL = 64;

  private final Permits permits = new Permits(Permits.PLENTY);

  /** What somebody gets whose till is not that of this thread. */
  private static long elsewhere(LongSupplier taking) throws InterruptedException {
    AtomicLong got = new AtomicLong();
    Thread other;
    do {
      other = new Thread(() -> got.set(taking.getAsLong()));
    } while ((other.getId() - Thread.currentThread().getId()) % 64 != 1);
    other.start();
    other.join();
    return got.get();
  }

  @Test
  void allOrNothingIsTaken() {
    Permits few = new Permits(10);
    assertThat(few.take(7)).isEqualTo(3);
    assertThat(few.take(4)).isEqualTo(Permits.TOO_FEW);
    assertThat(few.take(3)).isZero();
    assertThat(few.take(1)).isEqualTo(Permits.TOO_FEW);
  }

  @Test
  void nobodyHasATillUntilOneOvertakesAnother() {
    permits.take(1);
    assertThat(permits.stock()).isEqualTo(Permits.PLENTY - 1);
    permits.crowd();
    assertThat(permits.take(1)).isEqualTo(Permits.PLENTY - 2);
    assertThat(permits.stock()).isEqualTo(Permits.PLENTY - 1 - HANDFUL);
    assertThat(permits.left()).isEqualTo(Permits.PLENTY - 2);
  }

  @Test
  void handfulIsUsedUpBeforeTheNextIsFetched() {
    permits.crowd();
    for (int i = 1; i <= HANDFUL; i++) {
      assertThat(permits.take(1)).isEqualTo(Permits.PLENTY - i);
      assertThat(permits.stock()).isEqualTo(Permits.PLENTY - HANDFUL);
    }
    permits.take(1);
    assertThat(permits.stock()).isEqualTo(Permits.PLENTY - 2 * HANDFUL);
  }

  @Test
  void noTillEverHasAHandful() {
    permits.crowd();
    for (int cost = 1; cost <= 2 * HANDFUL; cost++) {
      permits.take(cost);
      assertThat(permits.left() - permits.stock()).isBetween(0L, HANDFUL - 1);
    }
  }

  @Test
  void fewPermitsHaveNoTills() {
    Permits few = new Permits(Permits.PLENTY - 1);
    few.crowd();
    assertThat(few.take(1)).isEqualTo(Permits.PLENTY - 2);
    assertThat(few.stock()).isEqualTo(Permits.PLENTY - 2);
  }

  @Test
  void nobodyIsToldOfWhatLiesInTheTillsOfOthers() throws InterruptedException {
    permits.crowd();
    permits.take(1);
    assertThat(elsewhere(() -> permits.take(1))).isEqualTo(Permits.PLENTY - 1 - HANDFUL);
    assertThat(permits.left()).isEqualTo(Permits.PLENTY - 2);
  }

  @Test
  void whatOthersHaveInTheirTillsIsTakenWhenTheStockIsOut() throws InterruptedException {
    permits.crowd();
    elsewhere(() -> permits.take(1));
    permits.take(permits.stock());
    assertThat(permits.stock()).isZero();
    assertThat(permits.left()).isEqualTo(HANDFUL - 1);
    assertThat(permits.take(HANDFUL)).isEqualTo(Permits.TOO_FEW);
    assertThat(permits.left()).as("nothing was taken").isEqualTo(HANDFUL - 1);
    assertThat(permits.take(HANDFUL - 2)).isZero();
    assertThat(permits.left()).isEqualTo(1);
    assertThat(permits.take(1)).isZero();
    assertThat(permits.take(1)).isEqualTo(Permits.TOO_FEW);
  }

  @Test
  void stockAndTillsTogetherPayALargeCost() throws InterruptedException {
    permits.crowd();
    permits.take(1);
    elsewhere(() -> permits.take(1));
    assertThat(permits.take(Permits.PLENTY - 2)).isZero();
    assertThat(permits.left()).isZero();
  }

  @Test
  void whoTakesAllTakesTheTillsToo() throws InterruptedException {
    permits.crowd();
    permits.take(1);
    elsewhere(() -> permits.take(1));
    assertThat(permits.takeAll()).isEqualTo(Permits.PLENTY - 2);
    assertThat(permits.left()).isZero();
    assertThat(permits.take(1)).isEqualTo(Permits.TOO_FEW);
  }

  @Test
  void manyThreadsTakeNoMoreThanThereIsAndLoseNothing() {
    for (int round = 0; round < 300; round++) {
      Permits all = new Permits(Permits.PLENTY);
      List<CompletableFuture<Long>> threads = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        // Large ones gather from many tills, and then often find too little.
        long cost = thread < 4 ? 150 : thread - 3;
        CompletableFuture<Long> taken = new CompletableFuture<>();
        threads.add(taken);
        new Thread(() -> taken.complete(takeWhileThereIsEnough(all, cost))).start();
      }
      long taken = threads.stream().mapToLong(CompletableFuture::join).sum();
      assertThat(taken + all.left()).isEqualTo(Permits.PLENTY);
      assertThat(taken + takeWhileThereIsEnough(all, 1)).isEqualTo(Permits.PLENTY);
    }
  }

  /** Each finds enough, and then the other has taken some of it. */
  @Test
  void whatIsGatheredInVainIsPutBack() throws InterruptedException {
    AtomicReference<@Nullable Permits> handed = new AtomicReference<>();
    AtomicLong gathered = new AtomicLong();
    long cost = Permits.PLENTY - 1;
    Thread other =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) {
                Permits all = handed.getAndSet(null);
                if (all != null) {
                  gathered.set(all.take(cost) == Permits.TOO_FEW ? 1 : 2);
                }
              }
            });
    other.setDaemon(true);
    other.start();
    // With one core a round takes two slices of its time.
    long end = System.nanoTime() + 5_000_000_000L;
    for (int round = 0; round < 50_000 && System.nanoTime() - end < 0; round++) {
      Permits all = new Permits(Permits.PLENTY);
      all.crowd();
      all.take(1);
      gathered.set(0);
      handed.set(all);
      boolean taken = all.take(cost) != Permits.TOO_FEW;
      while (gathered.get() == 0) {
        Thread.onSpinWait();
      }
      assertThat(taken && gathered.get() == 2).isFalse();
      assertThat(all.left()).isEqualTo(taken || gathered.get() == 2 ? 0 : cost);
    }
    other.interrupt();
    other.join();
  }

  @Test
  void tillsArePutUpByThreadsThatMeet() throws InterruptedException {
    Permits many = new Permits(1_000 * Permits.PLENTY);
    for (int round = 0; round < 100 && many.stock() == many.left(); round++) {
      List<Thread> threads = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        threads.add(
            new Thread(
                () -> {
                  for (int i = 0; i < Permits.PLENTY; i++) {
                    many.take(1);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(many.stock()).isLessThan(many.left());
  }

  @Test
  void whatIsOnItsWayWhileAllIsTakenIsLost() {
    for (int round = 0; round < 500; round++) {
      Permits all = new Permits(40 * Permits.PLENTY);
      all.crowd();
      List<CompletableFuture<Long>> threads = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        CompletableFuture<Long> taken = new CompletableFuture<>();
        threads.add(taken);
        // Each fetches a handful nearly every time.
        new Thread(() -> taken.complete(takeWhileThereIsEnough(all, 40))).start();
      }
      while (all.left() > 39 * Permits.PLENTY) {
        Thread.onSpinWait();
      }
      long rest = all.takeAll();
      long taken = threads.stream().mapToLong(CompletableFuture::join).sum();
      assertThat(all.left()).as("nothing is left behind").isZero();
      assertThat(40 * Permits.PLENTY - taken - rest).isBetween(0L, 4 * HANDFUL);
    }
  }

  private static long takeWhileThereIsEnough(Permits permits, long cost) {
    long taken = 0;
    while (permits.take(cost) != Permits.TOO_FEW) {
      taken += cost;
    }
    return taken;
  }
}

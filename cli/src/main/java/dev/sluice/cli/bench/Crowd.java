package dev.sluice.cli.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How many ask at once, and for how many keys.
 *
 * @param threads that ask and wait; where there are none, {@code inFlight} are asked without
 *     waiting
 */
record Crowd(String title, int threads, int inFlight, int keys) {
  /** The usual ones, from a quiet service to a busy one. */
  static final List<Crowd> ALL =
      List.of(
          new Crowd("one call", 1, 0, 1),
          new Crowd("32 threads, one key", 32, 0, 1),
          new Crowd("32 threads, 100,000 keys", 32, 0, 100_000),
          new Crowd("512 in flight, one key", 0, 512, 1),
          new Crowd("512 in flight, 100,000 keys", 0, 512, 100_000));

  /**
   * What came of it.
   *
   * @param median nanoseconds of a call; not measured where nobody waits
   */
  record Outcome(double perSecond, double median) {}

  /** Asks for a while; what fails is thrown. */
  Outcome ask(Asked asked, long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    long started = System.nanoTime();
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < Math.max(threads, inFlight); i++) {
      members.add(new Member(asked, end));
    }
    if (threads > 0) {
      List<Thread> all = members.stream().map(member -> new Thread(member::block)).toList();
      all.forEach(Thread::start);
      for (Thread one : all) {
        one.join();
      }
    } else {
      members.forEach(Member::goOn);
    }
    awaitEnd(members);
    double seconds = (System.nanoTime() - started) / 1e9;
    long count = members.stream().mapToLong(member -> member.count).sum();
    return new Outcome(count / seconds, members.get(0).median());
  }

  private static void awaitEnd(List<Member> members) {
    try {
      members.forEach(member -> member.end.join());
    } catch (CompletionException failed) {
      throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
    }
  }

  private final class Member {
    // Of more calls than this the median is known well enough.
    private final long[] nanos = new long[threads == 0 ? 0 : 20_000];
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Asked asked;
    private final long until;
    private int count;

    Member(Asked asked, long until) {
      this.asked = asked;
      this.until = until;
    }

    private String key() {
      return "user:" + (keys == 1 ? 0 : ThreadLocalRandom.current().nextInt(keys));
    }

    /** Asks and waits, again and again. */
    private void block() {
      try {
        while (System.nanoTime() - until < 0) {
          long before = System.nanoTime();
          asked.ask(key());
          nanos[count % nanos.length] = System.nanoTime() - before;
          count++;
        }
        end.complete(null);
      } catch (RuntimeException failure) {
        end.completeExceptionally(failure);
      }
    }

    private double median() {
      long[] sorted = Arrays.copyOf(nanos, Math.min(count, nanos.length));
      Arrays.sort(sorted);
      return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    /** Asks until an answer is waited for. Nobody hears what it throws to a future. */
    private void goOn() {
      try {
        while (System.nanoTime() - until < 0) {
          CompletableFuture<?> answer = asked.askAsync(key()).toCompletableFuture();
          if (!answer.isDone()) {
            CompletableFuture<?> unused = answer.whenComplete(this::answered);
            return;
          }
          answer.join();
          count++;
        }
        end.complete(null);
      } catch (RuntimeException failure) {
        end.completeExceptionally(failure);
      }
    }

    private void answered(@Nullable Object answer, @Nullable Throwable failure) {
      if (failure != null) {
        end.completeExceptionally(failure);
      } else {
        count++;
        goOn();
      }
    }
  }
}

package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LineTest {
  private static final int EACH = 4_000;
  private static final int MOST = 100;

  static List<IntFunction<Line>> lines() {
    return List.of(OwnLine::new, SharedLine::new);
  }

  private static Ticket ticket(String key) {
    return Nowhere.ticket(key, Duration.ofHours(1));
  }

  private static List<String> keys(List<Ticket> tickets) {
    return tickets.stream().map(ticket -> ticket.request().key()).toList();
  }

  private static List<String> taken(Line line, int atMost) {
    List<Ticket> out = new ArrayList<>();
    line.takeTo(out, atMost);
    return keys(out);
  }

  @ParameterizedTest
  @MethodSource("lines")
  void whoComesFirstIsTakenFirstHoweverOftenThePlacesWereUsed(IntFunction<Line> kind) {
    Line line = kind.apply(3);
    for (int round = 0; round < 10; round++) {
      assertThat(line.isEmpty()).isTrue();
      line.add(ticket("a" + round));
      line.add(ticket("b" + round));
      line.add(ticket("c" + round));
      assertThat(line.isEmpty()).isFalse();
      assertThat(taken(line, 2)).containsExactly("a" + round, "b" + round);
      assertThat(taken(line, 2)).containsExactly("c" + round);
      assertThat(taken(line, 2)).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("lines")
  void noMoreWaitThanMay(IntFunction<Line> kind) {
    for (int most = 1; most <= 9; most++) {
      Line line = kind.apply(most);
      for (int i = 0; i < most; i++) {
        assertThat(line.add(ticket("k" + i))).isTrue();
      }
      assertThat(line.add(ticket("one more"))).isFalse();
      assertThat(taken(line, 1)).containsExactly("k0");
      assertThat(line.add(ticket("last"))).isTrue();
      assertThat(line.add(ticket("one more"))).isFalse();
      assertThat(taken(line, most)).hasSize(most).endsWith("last");
    }
  }

  @ParameterizedTest
  @MethodSource("lines")
  void everybodyInLineIsLookedAt(IntFunction<Line> kind) {
    Line line = kind.apply(4);
    line.add(ticket("gone"));
    assertThat(taken(line, 1)).containsExactly("gone");
    List.of("a", "b", "c", "d").forEach(key -> line.add(ticket(key)));
    List<Ticket> seen = new ArrayList<>();
    line.forEach(seen::add);
    assertThat(keys(seen)).containsExactly("a", "b", "c", "d");
  }

  /** A list that has room for so many. */
  private static final class Small extends ArrayList<Ticket> {
    private static final long serialVersionUID = 1;
    private final int room;

    Small(int room) {
      this.room = room;
    }

    @Override
    public boolean add(Ticket ticket) {
      if (size() == room) {
        throw new OutOfMemoryError("no room for another");
      }
      return super.add(ticket);
    }
  }

  @Test
  void whoCannotBeTakenAlongStaysInLine() {
    Line line = new OwnLine(4);
    List.of("a", "b", "c").forEach(key -> line.add(ticket(key)));
    Small small = new Small(1);
    assertThatThrownBy(() -> line.takeTo(small, 3)).isInstanceOf(OutOfMemoryError.class);
    assertThat(keys(small)).containsExactly("a");
    assertThat(taken(line, 3)).containsExactly("b", "c");
    assertThat(line.add(ticket("d"))).isTrue();
    assertThat(taken(line, 3)).containsExactly("d");
  }

  /** To a lane's own line only that lane comes. */
  static List<Arguments> crowds() {
    return List.of(
        Arguments.of(new OwnLine(MOST), 1, 3 * EACH), Arguments.of(new SharedLine(MOST), 3, EACH));
  }

  /** Two who serve, and some who come, each in his own order. */
  @ParameterizedTest
  @MethodSource("crowds")
  void nobodyIsLostOrServedTwiceOrOvertakesHimself(Line line, int coming, int each)
      throws Exception {
    AtomicInteger left = new AtomicInteger(coming * each);
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      List<Future<List<List<Ticket>>>> serving = new ArrayList<>();
      List<Future<?>> others = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        serving.add(threads.submit(serving(line, left)));
      }
      for (int who = 0; who < coming; who++) {
        int name = who;
        others.add(threads.submit(() -> come(line, name, each)));
      }
      Map<String, Integer> counted = new HashMap<>();
      for (Future<List<List<Ticket>>> served : serving) {
        for (List<Ticket> handful : served.get(20, TimeUnit.SECONDS)) {
          assertInOrder(handful);
          keys(handful).forEach(key -> counted.merge(key, 1, Integer::sum));
        }
      }
      for (Future<?> other : others) {
        other.get(20, TimeUnit.SECONDS);
      }
      assertThat(counted).hasSize(coming * each).allSatisfy((key, n) -> assertThat(n).isOne());
      assertThat(line.isEmpty()).isTrue();
    } finally {
      threads.shutdownNow();
    }
  }

  private static void come(Line line, int name, int each) {
    for (int i = 0; i < each; i++) {
      Ticket ticket = ticket(name + ":" + i);
      while (!line.add(ticket) && !Thread.currentThread().isInterrupted()) {
        Thread.onSpinWait();
      }
    }
  }

  private static Callable<List<List<Ticket>>> serving(Line line, AtomicInteger left) {
    return () -> {
      List<List<Ticket>> all = new ArrayList<>();
      while (left.get() > 0 && !Thread.currentThread().isInterrupted()) {
        List<Ticket> handful = new ArrayList<>();
        line.takeTo(handful, 7);
        left.addAndGet(-handful.size());
        if (!handful.isEmpty()) {
          all.add(handful);
        }
      }
      return all;
    };
  }

  private static void assertInOrder(List<Ticket> handful) {
    Map<String, Integer> last = new HashMap<>();
    for (String key : keys(handful)) {
      String[] parts = key.split(":", 2);
      Integer before = last.put(parts[0], Integer.valueOf(parts[1]));
      assertThat(before == null || before < Integer.parseInt(parts[1])).as(key).isTrue();
    }
  }
}

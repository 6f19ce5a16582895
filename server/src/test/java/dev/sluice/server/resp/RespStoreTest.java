package dev.sluice.server.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.server.LostStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What the port does with a store that answers late, or not at all. */
class RespStoreTest {
  /** Decides nothing until it is told to, and then the last request first. */
  private static final class LateStore implements Store {
    private final InMemoryStore memory = new InMemoryStore();
    private volatile boolean answersAtOnce;
    private final List<Runnable> answers = Collections.synchronizedList(new ArrayList<>());

    @Override
    public Decision decide(Request request) {
      return memory.decide(request);
    }

    @Override
    public CompletableFuture<Decision> decideAsync(Request request) {
      if (answersAtOnce) {
        return CompletableFuture.completedFuture(memory.decide(request));
      }
      CompletableFuture<Decision> answer = new CompletableFuture<>();
      answers.add(() -> answer.complete(memory.decide(request)));
      return answer;
    }

    @Override
    public List<Decision> decideTogether(List<Request> requests) {
      return memory.decideTogether(requests);
    }

    void answerBackwards() {
      List<Runnable> all = new ArrayList<>(answers);
      answers.removeAll(all);
      Collections.reverse(all);
      all.forEach(Runnable::run);
    }

    @Override
    public void close() {}
  }

  @Test
  void repliesKeepTheirOrderWhenDecisionsDoNot() throws IOException {
    LateStore store = new LateStore();
    try (RespServer server = new RespServer(Sluice.of(store), RespOptions.on("127.0.0.1", 0));
        Wire wire = new Wire(server.port())) {
      for (int i = 0; i < 5; i++) {
        wire.send(Wire.command("CL.THROTTLE", "k" + i, "%d".formatted(9 - i), "1", "3600"));
        wire.send(Wire.command("ECHO", "n" + i));
      }
      Awaitility.await().until(() -> store.answers.size() == 5);
      store.answerBackwards();
      for (int i = 0; i < 5; i++) {
        assertThat(wire.reply()).startsWith("[0, %d, %d, -1,".formatted(10 - i, 9 - i));
        assertThat(wire.reply()).isEqualTo("n" + i);
      }
    }
  }

  @Test
  void commandsForOneKeyTakeEffectInTheOrderInWhichTheyWereSent() throws IOException {
    LateStore store = new LateStore();
    Sluice sluice = Sluice.of(store);
    sluice.limiter("slow", Limit.fixedWindow(3, Duration.ofDays(365)));
    try (RespServer server = new RespServer(sluice, RespOptions.on("127.0.0.1", 0));
        Wire wire = new Wire(server.port())) {
      wire.send(
          Wire.command("CL.THROTTLE", "k", "0", "1", "3600")
              + Wire.command("DEL", "k")
              + Wire.command("CL.THROTTLE", "k", "0", "1", "3600")
              + Wire.command("CL.THROTTLE", "k", "0", "1", "3600", "0")
              + Wire.command("CL.THROTTLE", "other", "0", "1", "3600")
              + Wire.command("SLUICE.CHECK", "slow", "k", "3")
              + Wire.command("SLUICE.CHECK", "slow", "k")
              + Wire.command("SLUICE.CHECK", "slow", "k", "0")
              + Wire.command("SLUICE.PEEK", "slow", "k"));
      // One for each key of each policy; then five more for the first of them.
      Awaitility.await().until(() -> store.answers.size() == 3);
      for (int i = 0; i < 5; i++) {
        store.answerBackwards();
      }
      assertThat(wire.reply()).startsWith("[0, 1, 0, -1,");
      assertThat(wire.reply()).isEqualTo("1");
      assertThat(wire.reply()).startsWith("[0, 1, 0, -1,");
      assertThat(wire.reply()).startsWith("[0, 1, 0, -1,");
      assertThat(wire.reply()).startsWith("[0, 1, 0, -1,");
      assertThat(wire.reply()).startsWith("[1, 3, 0, 0,");
      assertThat(wire.reply()).startsWith("[0, 3, 0, ");
      assertThat(wire.reply()).isEqualTo("-ERR cost must be from 1 to 1099511627776, got 0");
      assertThat(wire.reply()).startsWith("[0, 3, 0, ");
    }
  }

  @Test
  void manyCommandsThatWaitForOneAnotherAreAllAnswered() throws IOException {
    LateStore store = new LateStore();
    int sent = 1_000;
    try (RespServer server = new RespServer(Sluice.of(store), RespOptions.on("127.0.0.1", 0));
        Wire wire = new Wire(server.port())) {
      wire.send(Wire.command("CL.THROTTLE", "k", "999", "1", "3600").repeat(sent));
      wire.send(Wire.command("CL.THROTTLE", "l", "999", "1", "3600"));
      Awaitility.await().until(() -> store.answers.size() == 2);
      store.answersAtOnce = true;
      store.answerBackwards();
      for (int i = 0; i < sent; i++) {
        assertThat(wire.reply()).startsWith("[0, 1000, %d,".formatted(999 - i));
      }
    }
  }

  @Test
  void releaseWaitsForAllBeforeItAndAllAfterItWaitForIt() throws IOException {
    LateStore store = new LateStore();
    Sluice sluice = Sluice.of(store);
    String lease =
        sluice.limiter("one", Limit.concurrency(1)).tryAcquire("k").lease().orElseThrow();
    try (RespServer server = new RespServer(sluice, RespOptions.on("127.0.0.1", 0));
        Wire wire = new Wire(server.port())) {
      wire.send(
          Wire.command("SLUICE.CHECK", "one", "k")
              + Wire.command("SLUICE.RELEASE", lease)
              + Wire.command("SLUICE.CHECK", "one", "k")
              + Wire.command("SLUICE.CHECK", "one", "k"));
      Awaitility.await().until(() -> store.answers.size() == 1);
      for (int i = 0; i < 4; i++) {
        store.answerBackwards();
      }
      assertThat(wire.reply()).startsWith("[0, 1, 0,");
      assertThat(wire.reply()).isEqualTo("1");
      assertThat(wire.reply()).startsWith("[1, 1, 0,");
      assertThat(wire.reply()).startsWith("[0, 1, 0,");
    }
  }

  /** The words of a command are gone when the next one is read. */
  @Test
  void repliesThatWaitKnowWhatTheyWereAskedFor() throws IOException {
    LateStore store = new LateStore();
    try (RespServer server = new RespServer(Sluice.of(store), RespOptions.on("127.0.0.1", 0));
        Wire wire = new Wire(server.port())) {
      wire.send(
          Wire.command("CL.THROTTLE", "k", "9", "1", "3600")
              + Wire.command("COMMAND", "INFO", "PING", "NONE")
              + Wire.command("COMMAND", "DOCS", "PING")
              + Wire.command("CLIENT", "SETNAME", "me")
              + Wire.command("CLIENT", "GETNAME")
              + Wire.command("HELLO", "2", "SETNAME", "us")
              + Wire.command("PING", "one")
              + Wire.command("NOSUCH", "two")
              + Wire.command("CL.THROTTLE", "l", "x", "1", "3600")
              + Wire.command("ECHO", "y".repeat(500)));
      Awaitility.await().until(() -> store.answers.size() == 1);
      store.answerBackwards();
      assertThat(wire.reply()).startsWith("[0, 10, 9, -1,");
      assertThat(wire.reply()).startsWith("[[ping, -1, ").endsWith(", nil]");
      assertThat(wire.reply()).startsWith("[ping, [summary, ");
      assertThat(wire.reply()).isEqualTo("+OK");
      assertThat(wire.reply()).isEqualTo("me");
      assertThat(wire.reply()).startsWith("[server, sluice,");
      assertThat(wire.reply()).isEqualTo("one");
      assertThat(wire.reply())
          .isEqualTo("-ERR unknown command 'NOSUCH', with args beginning with: 'two' ");
      assertThat(wire.reply()).isEqualTo("-Cell error: Couldn't parse as integer: x");
      assertThat(wire.reply()).isEqualTo("y".repeat(500));
    }
  }

  @Test
  void tooManyOpenDecisionsStopTheReadingAndLoseNothing() throws IOException {
    LateStore store = new LateStore();
    try (RespServer server = new RespServer(Sluice.of(store), RespOptions.on("127.0.0.1", 0));
        Wire wire = new Wire(server.port())) {
      int sent = 3_000;
      StringBuilder commands = new StringBuilder();
      for (int i = 0; i < sent; i++) {
        commands.append(Wire.command("CL.THROTTLE", "k" + i, "9", "1", "3600"));
      }
      wire.send(commands.toString());
      Awaitility.await().until(() -> store.answers.size() == 1024);
      for (int answered = 0; answered < sent; ) {
        List<Runnable> ready = new ArrayList<>(store.answers);
        store.answers.subList(0, ready.size()).clear();
        ready.forEach(Runnable::run);
        for (int i = 0; i < ready.size(); i++) {
          assertThat(wire.reply()).startsWith("[");
        }
        answered += ready.size();
        if (answered < sent) {
          Awaitility.await().until(() -> !store.answers.isEmpty());
        }
      }
      wire.send(Wire.command("PING"));
      assertThat(wire.reply()).isEqualTo("+PONG");
    }
  }

  @Test
  void failedStoreIsAnErrorAndNeverADenial() throws IOException {
    Sluice sluice = Sluice.of(new LostStore());
    sluice.limiter(
        Policy.named("strict")
            .limits(List.of(Limit.parse("1/s")))
            .onStoreFailure(OnStoreFailure.DENY)
            .build());
    sluice.limiter(Policy.of("open", Limit.parse("1/s")));
    try (RespServer server = new RespServer(sluice, RespOptions.on("127.0.0.1", 0));
        Wire wire = new Wire(server.port())) {
      String unavailable = "-UNAVAILABLE store: no answer within 20 ms";
      assertThat(wire.ask("CL.THROTTLE", "k", "1", "1", "1")).isEqualTo(unavailable);
      assertThat(wire.ask("SLUICE.CHECK", "strict", "k")).isEqualTo(unavailable);
      assertThat(wire.ask("SLUICE.CHECK", "open", "k")).isEqualTo("[1, 0, 0, 0, 0]");
      assertThat(wire.ask("DEL", "k")).isEqualTo(unavailable);
    }
  }

  @Test
  void failedStoreMayLetThrottledRequestsPass() throws IOException {
    RespOptions open = RespOptions.on("127.0.0.1", 0).onStoreFailure(OnStoreFailure.ALLOW);
    try (RespServer server = new RespServer(Sluice.of(new LostStore()), open);
        Wire wire = new Wire(server.port())) {
      assertThat(wire.ask("CL.THROTTLE", "k", "9", "1", "1")).isEqualTo("[0, 10, 9, -1, 0]");
      assertThat(wire.ask("DEL", "k"))
          .isEqualTo("-UNAVAILABLE the store did not answer: nothing was forgotten");
    }
  }
}

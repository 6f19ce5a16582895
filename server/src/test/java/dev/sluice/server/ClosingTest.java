package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sluice.Decision;
import dev.sluice.Request;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.server.config.Rules;
import dev.sluice.server.config.RulesWatcher;
import dev.sluice.server.metrics.LiveStats;
import dev.sluice.server.metrics.TopKeys;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

/** What is closed, where a part of the server does not close. */
class ClosingTest {
  private final Queue<String> closed = new ConcurrentLinkedQueue<>();

  private void close(String name, Optional<? extends Throwable> failure) {
    closed.add(name);
    failure.ifPresent(ClosingTest::fail);
  }

  private static void fail(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) failure;
  }

  private Face face(String name, Optional<? extends Throwable> failure) {
    return new Face() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public int port() {
        return 1;
      }

      @Override
      public void close() {
        ClosingTest.this.close(name, failure);
      }
    };
  }

  private Store store(Optional<? extends Throwable> failure) {
    return new Store() {
      @Override
      public Decision decide(Request request) {
        throw new IllegalStateException("nobody asks");
      }

      @Override
      public List<Decision> decideTogether(List<Request> requests) {
        throw new IllegalStateException("nobody asks");
      }

      @Override
      public void close() {
        ClosingTest.this.close("store", failure);
      }
    };
  }

  private static SluiceServer server(Store store, Face... faces) {
    Sluice sluice = Sluice.of(store);
    Rules rules = Rules.load(null, null);
    Readiness readiness = new Readiness();
    ServerContext context =
        new ServerContext(
            new ServerOptions(),
            Optional.empty(),
            sluice,
            "memory",
            rules,
            new Refusals(),
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            new TopKeys(() -> 0),
            new LiveStats(),
            readiness);
    return new SluiceServer(
        context, new StoreProbe(store, readiness), new RulesWatcher(rules, sluice), List.of(faces));
  }

  /** A store that stays open does not get back what was leased. */
  @Test
  void faceThatDoesNotCloseDoesNotKeepTheStoreOpen() {
    IllegalStateException failure = new IllegalStateException("http");
    SluiceServer server =
        server(
            store(Optional.empty()),
            face("http", Optional.of(failure)),
            face("resp", Optional.empty()));
    Throwable thrown = catchThrowable(server::close);
    assertThat(closed).containsExactlyInAnyOrder("http", "resp", "store").last().isEqualTo("store");
    assertThat(thrown).isSameAs(failure).hasNoSuppressedExceptions();
  }

  @Test
  void firstFailureIsToldAndTheOthersWithIt() {
    // As from a jar that was replaced while the server ran.
    NoClassDefFoundError first = new NoClassDefFoundError("http");
    IllegalStateException second = new IllegalStateException("resp");
    IllegalStateException third = new IllegalStateException("store");
    SluiceServer server =
        server(
            store(Optional.of(third)),
            face("http", Optional.of(first)),
            face("resp", Optional.of(second)));
    assertThatThrownBy(server::close).isSameAs(first);
    assertThat(first.getSuppressed()).containsExactly(second, third);
  }
}

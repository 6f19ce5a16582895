package dev.sluice.spring.reactive;

import dev.sluice.Decision;
import dev.sluice.spring.method.CallKind;
import dev.sluice.spring.method.LimitedCall;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls that return a {@code Mono} or a {@code Flux}: decided anew for each subscription. */
public enum ReactiveCall implements CallKind {
  /** At most one value. */
  MONO {
    @Override
    public Object make(LimitedCall call) {
      return Mono.defer(
          () -> {
            Turn<Decision> turn = turn(call);
            return turn.answer(call.askAsync())
                .flatMap(decision -> Mono.from(result(call, turn, decision)))
                .doFinally(signal -> turn.leave());
          });
    }

    @Override
    public Object fail(RuntimeException invalid) {
      return Mono.error(invalid);
    }
  },
  /** Any number of values. */
  FLUX {
    @Override
    public Object make(LimitedCall call) {
      return Flux.defer(
          () -> {
            Turn<Decision> turn = turn(call);
            return turn.answer(call.askAsync())
                .flatMapMany(decision -> result(call, turn, decision))
                .doFinally(signal -> turn.leave());
          });
    }

    @Override
    public Object fail(RuntimeException invalid) {
      return Flux.error(invalid);
    }
  };

  private static Turn<Decision> turn(LimitedCall call) {
    return new Turn<>(call::release, call::giveBack);
  }

  private static Publisher<?> result(LimitedCall call, Turn<Decision> turn, Decision decision) {
    if (!decision.allowed()) {
      return publisher(() -> call.denied(decision));
    }
    Mono<Long> wait = decision.waitTime().isZero() ? Mono.empty() : Mono.delay(decision.waitTime());
    return wait.thenMany(
        Flux.defer(
            () -> {
              turn.enter();
              return publisher(call::proceed);
            }));
  }

  private static Publisher<?> publisher(Result result) {
    try {
      Object made = result.get();
      return made instanceof Publisher<?> publisher ? publisher : Mono.empty();
    } catch (Throwable failure) {
      return Mono.error(failure);
    }
  }

  private interface Result {
    @org.jspecify.annotations.Nullable
    Object get() throws Throwable;
  }
}

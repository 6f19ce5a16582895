package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.config.Rules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  private static final Rules.Failure EARLY =
      new Rules.Failure(Instant.ofEpochSecond(1), List.of("a:1: x", "a:2: y"));
  private static final Rules.Failure LATE =
      new Rules.Failure(Instant.ofEpochSecond(2), List.of("b:1: z"));

  @Test
  void severalAreToldAsOneWithTheLastTime() {
    Refusals refusals = new Refusals();
    assertThat(refusals.now()).isEmpty();
    refusals.add(Optional::empty);
    assertThat(refusals.now()).isEmpty();
    refusals.add(() -> Optional.of(LATE));
    assertThat(refusals.now()).hasValue(LATE);
    refusals.add(() -> Optional.of(EARLY));
    assertThat(refusals.now())
        .hasValue(new Rules.Failure(LATE.at(), List.of("b:1: z", "a:1: x", "a:2: y")));
  }
}

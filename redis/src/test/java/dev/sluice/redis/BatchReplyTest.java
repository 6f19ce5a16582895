package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Decision;
import dev.sluice.Limit;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import dev.sluice.memory.InMemoryStore;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BatchReplyTest {
  private static final long NOW = 1_800_000_000_000_000L;
  private static final long ROUND = 1L << 40;

  private final Store owner = new InMemoryStore();
  private final Ticket ticket =
      StrangeBatches.ticket(
          Request.acquire(Plans.of("p", Limit.tokenBucket(10, Duration.ofHours(10))), "user:42", 2),
          owner);

  private void answer(String lines) {
    Batch batch = new Batch(call -> call);
    assertThat(batch.add(ticket)).isTrue();
    byte[] told = lines.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer bytes = ByteBuffer.allocate(8 + told.length).order(ByteOrder.LITTLE_ENDIAN);
    batch.answered(List.of(bytes.putDouble((double) NOW).put(told).array()));
  }

  @Test
  void nothingFoundIsAFullBucket() {
    answer("\n");
    assertThat(ticket.outcome().remaining()).isEqualTo(8);
  }

  @Test
  void numberFoundIsWhenAndHowMuch() {
    answer("\n%d".formatted(number(NOW % ROUND, 3)));
    assertThat(ticket.outcome().remaining()).isEqualTo(5);
  }

  /** Of the same instant one number is told before the middle of a round, another after it. */
  @Test
  void numberFoundIsMeantNearThePresent() {
    answer("\n%d".formatted(number(NOW % ROUND - ROUND, 3)));
    Decision decision = ticket.outcome();
    assertThat(decision.remaining()).isEqualTo(5);
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofHours(5));
  }

  /** Of three permits in use an hour ago, of which one comes back in an hour, and a term. */
  private static long number(long round, long used) {
    return 16_384 * (round - Duration.ofHours(1).toNanos() / 1_000) + 5 * 512 + used + 1;
  }

  @Test
  void whatIsNoNumberIsTold() {
    answer("\n0 %d 9".formatted(NOW));
    Decision denied = ticket.outcome();
    assertThat(denied.allowed()).isFalse();
    assertThat(denied.remaining()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", // cut off
        "x", // no line
        "\nx", // no number
        "\n-", // no digits
        "\n!", // no text
        "\n!5", // one that is not there
        "\n2,1,0", // other separators
        "\n2 1", // a number is missing
        "\n2 1 ", // its digits are missing
        "\n99999999999999999999", // too large
        "\n3 1800000000000000 0", // takes more than was asked
        "\n0 1800000000000000 0" // denies though there is room
      })
  void nonsenseIsAFailure(String lines) {
    answer(lines);
    assertThatThrownBy(ticket::outcome)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessage("redis: no decision for policy 'p': the reply makes no sense");
  }
}

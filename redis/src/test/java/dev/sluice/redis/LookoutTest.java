package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class LookoutTest {
  private final Replies replies = new Replies();
  private final Lookout lookout = new Lookout(2);

  @Test
  void looksAgainUntilTheReplyIsThere() throws IOException {
    replies.comesAfter = 3;
    lookout.lookFor(replies);
    assertThat(replies.looks).isEqualTo(3);
  }

  @Test
  void whoLookedInVainSleepsAtOnceTwiceAsOftenEachTime() throws IOException {
    assertThat(callsUntilNextLook()).isEqualTo(1);
    for (int calls : new int[] {3, 5, 9, 17, 33, 65, 129, 257, 513, 1025, 1025}) {
      assertThat(callsUntilNextLook()).isEqualTo(calls);
    }
  }

  @Test
  void replyInTimeMakesUpForLooksInVain() throws IOException {
    callsUntilNextLook();
    callsUntilNextLook();
    replies.comesAfter = 1;
    assertThat(callsUntilNextLook()).isEqualTo(5);
    assertThat(callsUntilNextLook()).isEqualTo(1);
  }

  @Test
  void neverLooksOnOneProcessor() throws IOException {
    Lookout alone = new Lookout(1);
    for (int i = 0; i < 10; i++) {
      alone.lookFor(replies);
    }
    assertThat(replies.looks).isZero();
  }

  private int callsUntilNextLook() throws IOException {
    replies.looks = 0;
    int calls = 0;
    while (replies.looks == 0) {
      lookout.lookFor(replies);
      calls++;
    }
    return calls;
  }

  /** Nothing to read, until somebody has looked so often. */
  private static final class Replies extends FilterInputStream {
    private int comesAfter = Integer.MAX_VALUE;
    private int looks;

    Replies() {
      super(InputStream.nullInputStream());
    }

    @Override
    public int available() {
      looks++;
      return looks >= comesAfter ? 1 : 0;
    }
  }
}

package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class RespFramesTest {
  private static final List<String> MESSAGES =
      List.of(
          "+OK\r\n",
          "-ERR no 7 -3\r\n",
          ":-12\r\n",
          "$-1\r\n",
          "$0\r\n\r\n",
          "$6\r\n*1\r\n+x\r\n",
          "*-1\r\n",
          "*0\r\n",
          "*2\r\n*1\r\n:1\r\n$2\r\nab\r\n",
          "%1\r\n+k\r\n*2\r\n:1\r\n_\r\n",
          "~1\r\n#t\r\n",
          ">2\r\n+invalidate\r\n*0\r\n",
          "|1\r\n+ttl\r\n:5\r\n,1.5e3\r\n",
          "(12345678901234567890123\r\n",
          "!5\r\nERR x\r\n",
          "=7\r\ntxt:abc\r\n");

  @Test
  void findsTheSameEndsHoweverTheStreamIsCut() {
    byte[] stream = String.join("", MESSAGES).getBytes(StandardCharsets.UTF_8);
    List<Integer> expected = new ArrayList<>();
    int end = 0;
    for (String message : MESSAGES) {
      end += message.length();
      expected.add(end);
    }
    for (int size = 1; size <= stream.length; size++) {
      assertEquals(expected, ends(stream, size), "pieces of " + size);
    }
  }

  @Test
  void whatIsNotRespCountsPieceByPiece() {
    byte[] handshake = {0x16, 3, 1, 0, 2, '+', '\r', '\n'};
    assertEquals(List.of(3, 6, 8), ends(handshake, 3));
  }

  private static List<Integer> ends(byte[] stream, int size) {
    RespFrames frames = new RespFrames();
    List<Integer> ends = new ArrayList<>();
    for (int start = 0; start < stream.length; start += size) {
      byte[] piece = Arrays.copyOfRange(stream, start, Math.min(stream.length, start + size));
      for (int i = 0; i < piece.length; ) {
        i = frames.next(piece, i);
        if (frames.atStart()) {
          ends.add(start + i);
        }
      }
    }
    return ends;
  }
}

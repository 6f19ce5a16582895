package dev.sluice.server.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bytes that nobody meant as RESP. */
class RespFuzzTest {
  private static final String[] PIECES = {
    "*1\r\n",
    "*3\r\n",
    "$4\r\n",
    "$0\r\n\r\n",
    "PING\r\n",
    "\r\n",
    "*-1\r\n",
    "$-1\r\n",
    ":1\r\n",
    "*1024\r\n",
    "$65536\r\n",
    "CL.THROTTLE",
    " k 1 1 1\r\n",
    "\"",
    "'",
    "\\x",
    "\0",
    "\u00FF",
    "HELLO 3\r\n",
    "*2\r\n$4\r\nECHO\r\n$1\r\nx\r\n",
    "COMMAND DOCS\r\n",
    "*5\r\n$11\r\nCL.THROTTLE\r\n$1\r\nk\r\n"
  };

  static LongStream seeds() {
    return LongStream.range(0, 300);
  }

  private static byte[] bytes(long seed) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder();
    int pieces = 1 + random.nextInt(60);
    for (int i = 0; i < pieces; i++) {
      if (random.nextInt(4) == 0) {
        text.append((char) random.nextInt(256));
      } else {
        text.append(PIECES[random.nextInt(PIECES.length)]);
      }
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void parserReadsTheSameHoweverTheBytesAreCut(long seed) {
    byte[] bytes = bytes(seed);
    String whole = parsed(bytes, bytes.length);
    assertThat(parsed(bytes, 1)).isEqualTo(whole);
    assertThat(parsed(bytes, 7)).isEqualTo(whole);
    assertThat(parsed(bytes, 100)).isEqualTo(whole);
  }

  private static String parsed(byte[] bytes, int piece) {
    CommandParser parser = new CommandParser();
    StringBuilder seen = new StringBuilder();
    // What was read is moved away under the parser, as a connection does.
    ByteBuf in = Unpooled.buffer().writeZero(3).readerIndex(3);
    try {
      for (int from = 0; from < bytes.length; from += piece) {
        in.writeBytes(bytes, from, Math.min(piece, bytes.length - from));
        for (Command command = parser.next(in); command != null; command = parser.next(in)) {
          for (int i = 0; i < command.size(); i++) {
            seen.append(command.text(i)).append('|');
          }
          seen.append('\n');
        }
        in.discardReadBytes();
      }
    } catch (ProtocolException refused) {
      seen.append(refused.getMessage());
    }
    return seen.toString();
  }

  @Test
  void serverOutlivesHostileConnections() throws IOException {
    try (RespServer server = new RespServer(Sluice.inMemory(), RespOptions.on("127.0.0.1", 0));
        Wire good = new Wire(server.port())) {
      for (long seed = 0; seed < 300; seed++) {
        try (Wire hostile = new Wire(server.port())) {
          hostile.send(bytes(seed));
        }
        assertThat(good.ask("ECHO", "seed " + seed)).isEqualTo("seed " + seed);
      }
    }
  }
}

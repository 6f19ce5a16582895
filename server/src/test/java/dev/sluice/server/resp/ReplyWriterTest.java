package dev.sluice.server.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplyWriterTest {
  private final Session session =
      new Session(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1));
  private final ReplyWriter writer = new ReplyWriter(session);

  private String written() {
    ByteBuf out = Unpooled.buffer();
    writer.moveTo(out);
    return out.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {
        0,
        7,
        9,
        10,
        99,
        100,
        999_999_999_999_999_999L,
        1_000_000_000_000_000_000L,
        -1,
        -9,
        -10,
        Long.MAX_VALUE,
        Long.MIN_VALUE
      })
  void numbersAreWrittenWhole(long number) {
    writer.integer(number);
    assertThat(written()).isEqualTo(":" + number + "\r\n");
  }

  @Test
  void everyKindHasItsForm() {
    writer.array(2);
    writer.simple("OK");
    writer.error("ERR no\nline");
    writer.bulk("käse");
    writer.nothing();
    writer.map(3);
    assertThat(written()).isEqualTo("*2\r\n+OK\r\n-ERR no line\r\n$5\r\nkäse\r\n$-1\r\n*6\r\n");
    session.protocol(3);
    writer.nothing();
    writer.map(3);
    assertThat(written()).isEqualTo("_\r\n%3\r\n");
  }

  @Test
  void longRepliesFit() {
    String text = "x".repeat(70_000);
    writer.array(2);
    writer.bulk(text);
    writer.integer(Long.MIN_VALUE);
    assertThat(written()).isEqualTo("*2\r\n$70000\r\n" + text + "\r\n:" + Long.MIN_VALUE + "\r\n");
    writer.integer(1);
    assertThat(written()).isEqualTo(":1\r\n");
  }
}

package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Request;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Names of keys: short, never shared, all of a decision in one slot. */
class KeyCodecTest {
  private static final Limit BUCKET = Limit.tokenBucket(1, Duration.ofSeconds(1));
  private static final Limit LOG = Limit.slidingLog(1, Duration.ofSeconds(1));
  // What somebody would try who wants to leave his braces or to write another's key.
  private static final List<String> PIECES =
      List.of(
          "{",
          "}",
          "}x",
          "{}",
          "%",
          "%7D",
          "%25",
          "%3A",
          ":",
          "#",
          "a",
          "b",
          "é",
          "\uD83D\uDE00",
          "\uD800",
          "\uDC00",
          "\0",
          "\r\n",
          " ",
          "sl:{",
          "t",
          "r",
          "\u2028");

  private static byte[] name(String policy, String key, byte[] suffix) {
    return KeyCodec.join(KeyCodec.tag(KeyCodec.policyTag(policy), policy, key), suffix);
  }

  private static String latin(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  @Test
  void readsWell() {
    assertThat(latin(name("api", "user:42", KeyCodec.suffix(BUCKET))))
        .isEqualTo("sl:{api:user:42}");
    assertThat(latin(name("a:b", "}{%", KeyCodec.suffix(LOG.name("burst")))))
        .isEqualTo("sl:{a%3Ab:%7D{%25}lburst");
    assertThat(latin(name("api", "k", KeyCodec.RESERVATIONS))).isEqualTo("sl:{api:k}r");
    assertThat(name("api", "é", KeyCodec.suffix(BUCKET)))
        .isEqualTo("sl:{api:é}".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void longTextAndTextThatIsNoUnicodeAreDigested() {
    assertThat(latin(name("api", "k".repeat(300), KeyCodec.suffix(BUCKET))))
        .matches("sl:\\{#[A-Za-z0-9_-]{43}\\}");
    assertThat(latin(name("api", "\uD800", KeyCodec.suffix(BUCKET))))
        .matches("sl:\\{#[A-Za-z0-9_-]{43}\\}");
  }

  @Test
  void differentKeysNeverMeetAndStayInTheirBraces() {
    SplittableRandom random = new SplittableRandom(7);
    Map<String, String> owners = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      String policy = text(random, 3);
      String key = text(random, random.nextInt(50) == 0 ? 300 : 4);
      byte[] name = name(policy, key, KeyCodec.suffix(BUCKET));
      String text = latin(name);
      assertThat(name.length).isLessThanOrEqualTo(256);
      assertThat(text).startsWith("sl:{").endsWith("}");
      assertThat(text.indexOf('}'))
          .as("the first brace closes in %s", text)
          .isEqualTo(text.length() - 1);
      String owner = policy.length() + ":" + policy + key;
      assertThat(owners.merge(text, owner, (known, same) -> known)).isEqualTo(owner);
    }
  }

  private static String text(SplittableRandom random, int most) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(1, most + 1); i > 0; i--) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return text.toString();
  }

  @Test
  void theLongestNameFits() {
    byte[] name = name("p", "k".repeat(184), KeyCodec.suffix(LOG.name("n".repeat(64))));
    assertThat(name).hasSize(256);
    assertThat(latin(name)).startsWith("sl:{p:kkk");
    assertThat(latin(name("p", "k".repeat(185), KeyCodec.suffix(BUCKET)))).startsWith("sl:{#");
  }

  @Test
  void allKeysOfADecisionLieInOneSlot() {
    SplittableRandom random = new SplittableRandom(8);
    Store store = new InMemoryStore();
    var plan =
        Plans.of(
            "p}{:%",
            BUCKET,
            Limit.slidingLog(1, Duration.ofSeconds(1)).name("{x}"),
            Limit.concurrency(1).name("}}"));
    for (int i = 0; i < 2_000; i++) {
      Request request = new Request(plan, text(random, 60), 1, Request.Mode.ACQUIRE, 0, "id", 0);
      List<byte[]> keys = Call.of(List.of(request), store, 0).keys();
      assertThat(keys).hasSize(4);
      assertThat(keys.stream().map(KeyCodecTest::slot).distinct()).hasSize(1);
    }
  }

  /** As Redis finds the slot of a key: CRC16 of what stands in the first braces. */
  private static int slot(byte[] key) {
    String text = latin(key);
    int open = text.indexOf('{');
    int close = text.indexOf('}', open + 1);
    String tag = open >= 0 && close > open + 1 ? text.substring(open + 1, close) : text;
    int crc = 0;
    for (byte b : tag.getBytes(StandardCharsets.ISO_8859_1)) {
      crc ^= (b & 0xFF) << 8;
      for (int i = 0; i < 8; i++) {
        crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
      }
      crc &= 0xFFFF;
    }
    return crc % 16_384;
  }
}

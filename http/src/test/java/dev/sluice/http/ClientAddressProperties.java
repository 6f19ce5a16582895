package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Laws of keys by address, over random addresses and headers. */
class ClientAddressProperties {
  private static final ClientAddress BEHIND_PROXY =
      ClientAddress.trusting("10.0.0.0/8", "fd00::/8");

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 5);
  }

  private static String keyBehindProxy(String hop) {
    return BEHIND_PROXY
        .of(SentRequest.from("10.0.0.1").header("X-Forwarded-For", hop))
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void allSpellingsOfAnIpv6AddressAreOneKey(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      int[] groups = random.ints(8, 0, 0x10000).map(g -> random.nextBoolean() ? 0 : g).toArray();
      groups[0] = 0x2001;
      Set<String> keys = new HashSet<>();
      for (String spelling : spellings(groups, random)) {
        keys.add(keyBehindProxy(spelling));
        keys.add(keyBehindProxy("[" + spelling + "]:" + random.nextInt(65_536)));
        keys.add(ClientAddress.ofPeer().of(SentRequest.from(spelling)).orElseThrow());
      }
      assertThat(keys)
          .as("seed %d, address %s", seed, java.util.Arrays.toString(groups))
          .hasSize(1);
    }
  }

  /** Leading zeros, case, every gap of zeros that may be left out, and the last 32 bits dotted. */
  private static List<String> spellings(int[] groups, Random random) {
    List<String> spellings = new ArrayList<>();
    for (int start = 0; start < 8; start++) {
      for (int end = start; end <= 8; end++) {
        boolean zeros = java.util.Arrays.stream(groups, start, end).allMatch(g -> g == 0);
        if (!zeros) {
          break;
        }
        spellings.add(
            end == start
                ? join(groups, 0, 8, random)
                : join(groups, 0, start, random) + "::" + join(groups, end, 8, random));
      }
    }
    spellings.add(
        join(groups, 0, 6, random)
            + ":%d.%d.%d.%d"
                .formatted(groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255));
    return spellings;
  }

  private static String join(int[] groups, int from, int to, Random random) {
    List<String> texts = new ArrayList<>();
    for (int i = from; i < to; i++) {
      String text = (random.nextBoolean() ? "%x" : "%04x").formatted(groups[i]);
      texts.add(random.nextBoolean() ? text.toUpperCase(Locale.ROOT) : text);
    }
    return String.join(":", texts);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void tenThousandAddressesOfANetworkAreOneKey(long seed) {
    Random random = new Random(seed);
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      keys.add(
          keyBehindProxy(
              "2001:db8:0:7:%x:%x:%x:%x"
                  .formatted(
                      random.nextInt(0x10000),
                      random.nextInt(0x10000),
                      random.nextInt(0x10000),
                      random.nextInt(0x10000))));
    }
    assertThat(keys).as("seed %d", seed).containsExactly("2001:db8:0:7::/64");
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void tenThousandMappedAddressesAreTenThousandKeys(long seed) {
    Random random = new Random(seed);
    Set<String> addresses = new HashSet<>();
    while (addresses.size() < 10_000) {
      addresses.add(
          "%d.%d.%d.%d"
              .formatted(
                  11 + random.nextInt(200),
                  random.nextInt(256),
                  random.nextInt(256),
                  random.nextInt(256)));
    }
    for (String prefix : List.of("::ffff:", "64:ff9b::")) {
      Set<String> keys = new HashSet<>();
      for (String address : addresses) {
        keys.add(keyBehindProxy(prefix + address));
      }
      assertThat(keys).as("seed %d", seed).isEqualTo(addresses);
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void noHeaderLetsAClientChooseItsKey(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 1_000; i++) {
      String written = written(random);
      SentRequest direct =
          SentRequest.from("203.0.113.7")
              .header("X-Forwarded-For", written)
              .header("Forwarded", written);
      SentRequest proxied =
          SentRequest.from("10.0.0.1")
              .header("X-Forwarded-For", written + ", 203.0.113.7")
              .header("Forwarded", written + ", for=203.0.113.7");
      SentRequest proxiedByLine =
          SentRequest.from("10.0.0.1")
              .header("X-Forwarded-For", written)
              .header("X-Forwarded-For", "203.0.113.7")
              .header("Forwarded", written)
              .header("Forwarded", "for=203.0.113.7;by=10.0.0.1");
      for (SentRequest request : List.of(direct, proxied, proxiedByLine)) {
        for (ClientAddress.Header header : ClientAddress.Header.values()) {
          assertThat(BEHIND_PROXY.header(header).of(request))
              .as("seed %d, header %s", seed, written)
              .hasValue("203.0.113.7");
        }
      }
    }
  }

  /** What an attacker might write: pieces of addresses and of grammar, in any order. */
  private static String written(Random random) {
    String[] pieces = {
      "9.9.9.9", "10.0.0.2", "for=", "for=9.9.9.9", "\"", "\\", "\\\"", ",", ";", "[", "]", ":80",
      "2001:db8::1", "::ffff:", "unknown", "_x", " ", "\t", "by=", "=", "%", "\0", "é", "\uD800"
    };
    StringBuilder text = new StringBuilder();
    for (int n = random.nextInt(12); n > 0; n--) {
      text.append(pieces[random.nextInt(pieces.length)]);
    }
    return text.toString();
  }
}

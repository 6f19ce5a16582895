package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Numbers up to 2^53 are multiplied and divided exactly, as by an oracle without such a bound. */
class ArithmeticTest {
  private static final int STEPS = 2_000;

  @Test
  void quotientsOfLargeProductsAreExact() {
    try (RedisServer server = RedisServer.on(RedisBinary.bundled()).start()) {
      assertThat(firstDifference(server, UnaryOperator.identity())).isNull();
    }
  }

  /** The first quotient that differs from the oracle's, or null. */
  static String firstDifference(RedisServer server, UnaryOperator<String> change) {
    String source =
        change.apply(Scripts.text(List.of("start", "prelude", "arithmetic")))
            + "return format('%.0f', mul_div(ARGV[1] + 0, ARGV[2] + 0, ARGV[3] + 0))";
    SplittableRandom random = new SplittableRandom(1);
    try (Pipeline pipeline = new Pipeline(server, UnaryOperator.identity())) {
      List<List<String>> commands = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < STEPS; i++) {
        long c = 1 + random.nextLong(1L << random.nextInt(1, 51));
        // What is asked for: a share of a count, and of a length, so no more than either.
        long b = random.nextLong(c + 1);
        long a = random.nextLong(1L << random.nextInt(1, 51));
        // Products that are multiples of c, and those one below, are the hard ones.
        if (i % 2 == 0) {
          a = a / c * c + random.nextLong(2);
        }
        commands.add(List.of("EVAL", source, "0", "" + a, "" + b, "" + c));
        expected.add(
            BigInteger.valueOf(a)
                .multiply(BigInteger.valueOf(b))
                .divide(BigInteger.valueOf(c))
                .toString());
      }
      List<Object> got = pipeline.commands(commands);
      for (int i = 0; i < STEPS; i++) {
        if (!expected.get(i).equals(got.get(i))) {
          return "%s: must be %s, got %s"
              .formatted(commands.get(i).subList(3, 6), expected.get(i), got.get(i));
        }
      }
      return null;
    }
  }
}

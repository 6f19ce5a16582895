package dev.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.redis.testkit.RedisBinary;
import dev.sluice.redis.testkit.RedisServer;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that travel together get the answers, field by field, that they would get one after the
 * other.
 */
class CoalescedTwinTest {
  private static RedisServer server;
  private static CoalescedTwin twin;

  @BeforeAll
  static void start() {
    server = RedisServer.on(RedisBinary.bundled()).start();
    twin = new CoalescedTwin(server, UnaryOperator.identity());
  }

  @AfterAll
  static void stop() {
    twin.close();
    server.close();
  }

  static List<Integer> seeds() {
    return IntStream.range(0, 40).boxed().toList();
  }

  @Test
  void serverClockDecidesAndKeysLiveASecondLongerThanTheirLimit() {
    assertThat(RealTime.firstDifference(server, UnaryOperator.identity())).isNull();
  }

  @Test
  void bucketThatIsRaisedLivesForAsLongAsItsLimitRemembers() {
    assertThat(Terms.firstDifference(server, UnaryOperator.identity())).isNull();
  }

  @Test
  void groupThatCannotBeDecidedIsNoNewsToTheOthers() {
    assertThat(StrangeBatches.firstDifference(server, UnaryOperator.identity())).isNull();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void togetherIsAsOneAfterTheOther(int seed) {
    assertThat(twin.firstDifference(seed)).isNull();
  }
}

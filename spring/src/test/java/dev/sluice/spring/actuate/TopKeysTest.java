package dev.sluice.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TopKeysTest {
  private final TopKeys top = new TopKeys(3);
  private final Sluice sluice = Sluice.inMemory().listener(top);

  @Test
  void theMostDeniedKeysComeFirst() {
    var limiter = sluice.limiter("api", Limit.parse("1/h"));
    for (String key : new String[] {"a", "b", "b", "b", "c", "c", "c", "c"}) {
      limiter.tryAcquire(key);
    }
    assertThat(top.of("api")).hasToString("[Denied[key=c, denied=3], Denied[key=b, denied=2]]");
    assertThat(top.of("other")).isEmpty();
  }

  @Test
  void aFloodOfKeysHidesNoneThatIsLimitedOften() {
    var limiter = sluice.limiter("api", Limit.parse("1/h"));
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      limiter.tryAcquire(i % 5 == 0 ? "heavy" : "flood-" + random.nextInt(2_000));
    }
    assertThat(top.of("api")).hasSize(3);
    assertThat(top.of("api").get(0).key()).isEqualTo("heavy");
    assertThat(top.of("api").get(0).denied()).isGreaterThanOrEqualTo(3_999);
  }
}

package dev.sluice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyTest {
  private static final Limit LIMIT = Limit.parse("10/s");

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a/b", "a\tb", "a\u007f", "\ud800"})
  void nameMustBePrintableAndWithoutSlash(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.of(name, LIMIT))
        .withMessage(
            "policy name must be 1 to 128 printable characters without '/', got '%s'", name);
  }

  @Test
  void nameHasALength() {
    assertThat(Policy.of("ü".repeat(128), LIMIT).name()).hasSize(128);
    assertThatIllegalArgumentException().isThrownBy(() -> Policy.of("x".repeat(129), LIMIT));
  }

  @Test
  void policyHasFromOneToSixteenLimits() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.of("p"))
        .withMessage("policy 'p': must have from 1 to 16 limits, got 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.named("p").limits(Collections.nCopies(17, LIMIT)).build())
        .withMessage("policy 'p': must have from 1 to 16 limits, got 17");
    assertThat(Policy.named("p").limits(Collections.nCopies(16, LIMIT)).build().limits())
        .extracting(Limit::name)
        .startsWith("token-bucket", "token-bucket-2", "token-bucket-3")
        .doesNotHaveDuplicates();
  }

  @Test
  void namesOfLimitsDiffer() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.of("p", LIMIT.name("a"), LIMIT.name("a")))
        .withMessage("policy 'p': limit names must differ, got 'a' twice");
    assertThat(Policy.of("p", LIMIT, LIMIT.name("token-bucket")).limits())
        .extracting(Limit::name)
        .containsExactly("token-bucket-2", "token-bucket");
  }

  @Test
  void limitsOfARuleAreCheckedToo() {
    Policy.Builder builder =
        Policy.named("p")
            .limits(List.of(LIMIT))
            .key(KeyRule.limits("a*", List.of(LIMIT.initial(11))));
    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessage(
            "policy 'p', key pattern 'a*', limit 'token-bucket':"
                + " initial must be at most the burst of 10, got 11");
  }

  private static Policy policyWithin(Duration deadline) {
    List<Limit> limits = List.of(Limit.tokenBucket(1, Duration.ofSeconds(1)));
    return Policy.named("p").limits(limits).deadline(deadline).build();
  }

  @Test
  void otherFieldsAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.named("p").nodes(0))
        .withMessage("policy 'p': nodes must be at least 1, got 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.named("p").deadline(Duration.ZERO))
        .withMessage("policy 'p': deadline must be positive and at most 1 hour, got PT0S");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.named("p").deadline(Duration.ofMillis(-1)))
        .withMessage("policy 'p': deadline must be positive and at most 1 hour, got PT-0.001S");
    assertThat(policyWithin(Duration.ofHours(1)).deadline()).hasValue(Duration.ofHours(1));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> policyWithin(Duration.ofHours(1).plusNanos(1)))
        .withMessage(
            "policy 'p': deadline must be positive and at most 1 hour, got PT1H0.000000001S");
    assertThatNullPointerException().isThrownBy(() -> Policy.named("p").tier(null));
    assertThatNullPointerException().isThrownBy(() -> Policy.named("p").onStoreFailure(null));
    assertThatNullPointerException().isThrownBy(() -> Policy.named("p").key(null));
  }

  @Test
  void firstRuleThatMatchesDecides() {
    KeyRule pro = KeyRule.limits("plan:pro:*", List.of(LIMIT));
    KeyRule all = KeyRule.deny("plan:*");
    Policy policy = Policy.named("p").limits(List.of(LIMIT)).key(pro).key(all).build();
    assertThat(policy.keys()).containsExactly(pro, all);
    assertThat(policy.ruleFor("plan:pro:7")).contains(pro);
    assertThat(policy.ruleFor("plan:free:7")).contains(all);
    assertThat(policy.ruleFor("user:7")).isEmpty();
    assertThat(policy.planFor("plan:free:7")).isNull();
    assertThat(policy.planFor("user:7")).isNotNull().isNotSameAs(policy.planFor("plan:pro:7"));
  }

  @Test
  void shareCutsTheLimitsOfEveryPlan() {
    Policy policy =
        Policy.named("p")
            .limits(List.of(LIMIT))
            .key(KeyRule.limits("a", List.of(Limit.parse("100/s"))))
            .key(KeyRule.deny("b"))
            .nodes(4)
            .build();
    Policy share = policy.share();
    assertThat(share.limits().get(0).permits()).isEqualTo(2);
    assertThat(share.planFor("a").limits().get(0).permits()).isEqualTo(25);
    assertThat(share.planFor("b")).isNull();
    assertThat(policy.share()).isSameAs(share);
  }

  @Test
  void defaultsAreThoseOfTheFile() {
    Policy policy = Policy.of("p", LIMIT);
    assertThat(policy.onStoreFailure()).isEqualTo(OnStoreFailure.ALLOW);
    assertThat(policy.nodes()).isEqualTo(1);
    assertThat(policy.deadline()).isEmpty();
    assertThat(policy.shadow()).isFalse();
    assertThat(policy.tier()).isEqualTo(Tier.EXACT);
    assertThat(
            Policy.named("q")
                .limits(List.of(LIMIT))
                .tier(Tier.LEASED)
                .deadline(Duration.ofMillis(5))
                .build())
        .satisfies(
            other -> {
              assertThat(other.tier()).isEqualTo(Tier.LEASED);
              assertThat(other.deadline()).contains(Duration.ofMillis(5));
            });
  }

  @Test
  void boundOnSlicesIsOneInAHundredOfTheSmallestLimitOrAsTold() {
    Policy.Builder leased =
        Policy.named("p")
            .limits(List.of(Limit.parse("1000/s"), Limit.parse("90000/h burst 700")))
            .tier(Tier.LEASED);
    assertThat(leased.build().maxLeased()).isEqualTo(7);
    assertThat(leased.maxLeased(50).build().maxLeased()).isEqualTo(50);
    assertThat(leased.build().toString()).endsWith(" on-store-failure allow leased, at most 50");
    assertThat(Policy.of("p", LIMIT).maxLeased()).isZero();
    assertThat(Policy.named("p").limits(List.of(LIMIT)).tier(Tier.LEASED).build().maxLeased())
        .isEqualTo(1);
  }

  @Test
  void whatCannotBeLeasedIsRefused() {
    assertRefused(
        Policy.named("p").tier(Tier.LEASED).limits(List.of(LIMIT, Limit.concurrency(2))),
        "policy 'p', limit 'concurrency': concurrency cannot be leased, for held permits are not"
            + " used up; use tier exact");
    assertRefused(
        Policy.named("p")
            .tier(Tier.LEASED)
            .limits(List.of(LIMIT))
            .key(KeyRule.limits("a*", List.of(Limit.leakyBucket(1, Duration.ofSeconds(1))))),
        "policy 'p', key pattern 'a*', limit 'leaky-bucket': leaky-bucket cannot be leased, for its"
            + " passes are spaced, not counted; use tier exact");
    assertRefused(
        Policy.named("p")
            .tier(Tier.LEASED)
            .limits(List.of(Limit.tokenBucket(1, Duration.ofSeconds(1)).borrow())),
        "policy 'p', limit 'token-bucket': token-bucket with borrow cannot be leased, for what is"
            + " borrowed has no bound; use tier exact");
    assertRefused(
        Policy.named("p").tier(Tier.LEASED).limits(List.of(Limit.parse("10/s"))).maxLeased(11),
        "policy 'p': max-leased must be from 1 to the smallest limit of 10, got 11");
    assertRefused(
        Policy.named("p").limits(List.of(LIMIT)).maxLeased(1),
        "policy 'p': max-leased is for tier leased, got tier exact");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Policy.named("p").maxLeased(0))
        .withMessage("policy 'p': max-leased must be at least 1, got 0");
  }

  private static void assertRefused(Policy.Builder policy, String message) {
    assertThatIllegalArgumentException().isThrownBy(policy::build).withMessage(message);
  }

  @Test
  void policyPrintsItselfForLogs() {
    assertThat(
            Policy.named("p")
                .limits(List.of(LIMIT, Limit.concurrency(2)))
                .key(KeyRule.unlimited("ip:10.*"))
                .key(KeyRule.limits("x", List.of(LIMIT)))
                .onStoreFailure(OnStoreFailure.LOCAL)
                .shadow(true)
                .build())
        .hasToString(
            "p [token-bucket: token-bucket 10 per 1s; concurrency: concurrency 2 held, lease 1m]"
                + " keys ['ip:10.*' -> UNLIMITED, 'x' -> [token-bucket: token-bucket 10 per 1s]]"
                + " on-store-failure local shadow");
    assertThat(Policy.of("p", LIMIT))
        .hasToString("p [token-bucket: token-bucket 10 per 1s] on-store-failure allow");
  }
}

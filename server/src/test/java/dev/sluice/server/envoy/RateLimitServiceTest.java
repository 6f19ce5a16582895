package dev.sluice.server.envoy;

import static dev.sluice.server.envoy.EnvoyClient.codes;
import static dev.sluice.server.envoy.EnvoyClient.descriptor;
import static dev.sluice.server.envoy.EnvoyClient.hits;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.UInt32Value;
import com.google.protobuf.Value;
import dev.sluice.OnStoreFailure;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.testkit.FakeClock;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit.Unit;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ShouldRateLimit through a real port, asked by grpc-java. */
class RateLimitServiceTest {
  private static final String RULES =
      """
      domain: d
      descriptors:
        - key: ip
          rate_limit: {unit: second, requests_per_unit: 10}
        - key: ip
          value: 50.0.0.5
          rate_limit: {unit: second, requests_per_unit: 0}
        - key: path
          value: /api/*/x
          rate_limit: {unit: minute, requests_per_unit: 5, name: api}
        - key: shared
          value: "*"
          share_threshold: true
          rate_limit: {unit: minute, requests_per_unit: 3}
        - key: a
          descriptors:
            - key: b
              rate_limit: {unit: minute, requests_per_unit: 3}
        - key: watched
          shadow_mode: true
          rate_limit: {unit: hour, requests_per_unit: 1}
        - key: free
          rate_limit: {unlimited: true}
        - key: vip
          rate_limit: {unit: hour, requests_per_unit: 9, name: vip, replaces: [{name: api}]}
        - key: q1
          quota_mode: true
          rate_limit: {unit: hour, requests_per_unit: 1}
        - key: q2
          quota_mode: true
          rate_limit: {unit: hour, requests_per_unit: 2}
        - key: bucket
          metadata: {owner: {team: web}, level: 3, on: true}
          rate_limit: {algorithm: token-bucket, per: 10s, requests_per_unit: 10, burst: 20}
        - key: typed
          metadata: {version: "1.0", word: 'true', rate: -1.5e3, none: null}
          rate_limit: {unit: day, requests_per_unit: 2}
        - key: exact
          rate_limit: {algorithm: sliding-log, unit: day, requests_per_unit: 2}
      """;

  private final FakeClock clock = new FakeClock();
  @TempDir Path directory;
  private EnvoyServer server;
  private EnvoyClient client;

  @BeforeEach
  void start() throws IOException {
    Files.writeString(directory.resolve("rules.yaml"), RULES);
    Sluice sluice = Sluice.of(new InMemoryStore(clock, 10_000));
    server = new EnvoyServer(directory, sluice, OnStoreFailure.DENY);
    client = server.client();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void answerTellsLimitRemainingAndReset() {
    clock.advance(Duration.ofMillis(300));
    DescriptorStatus status = client.ask(descriptor("ip", "1.1.1.1")).getStatuses(0);

    assertThat(status.getCode()).isEqualTo(RateLimitResponse.Code.OK);
    assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(10);
    assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.SECOND);
    assertThat(status.getLimitRemaining()).isEqualTo(9);
    assertThat(status.getDurationUntilReset().getSeconds()).isZero();
    assertThat(status.getDurationUntilReset().getNanos()).isEqualTo(700_000_000);
  }

  @Test
  void eachValueHasItsOwnCounterUntilTheWindowEnds() {
    for (int i = 0; i < 10; i++) {
      assertThat(codes(client.ask(descriptor("ip", "1.1.1.1")))).isEqualTo("OK OK");
    }
    assertThat(codes(client.ask(descriptor("ip", "1.1.1.1")))).isEqualTo("OVER_LIMIT OVER_LIMIT");
    assertThat(codes(client.ask(descriptor("ip", "2.2.2.2")))).isEqualTo("OK OK");
    clock.advance(Duration.ofSeconds(1));
    assertThat(codes(client.ask(descriptor("ip", "1.1.1.1")))).isEqualTo("OK OK");
  }

  @Test
  void exactValueGoesBeforeBareKeyAndZeroAlwaysDenies() {
    RateLimitResponse response = client.ask(descriptor("ip", "50.0.0.5"));

    assertThat(codes(response)).isEqualTo("OVER_LIMIT OVER_LIMIT");
    assertThat(response.getStatuses(0).getCurrentLimit().getRequestsPerUnit()).isZero();
  }

  @Test
  void wildcardValuesHaveTheirOwnCounters() {
    for (int i = 0; i < 5; i++) {
      client.ask(descriptor("path", "/api/7/x"));
    }
    assertThat(codes(client.ask(descriptor("path", "/api/7/x")))).startsWith("OVER_LIMIT");
    assertThat(codes(client.ask(descriptor("path", "/api/8/x")))).startsWith("OK");
    assertThat(client.ask(descriptor("path", "/api/8/y")).getStatuses(0).hasCurrentLimit())
        .isFalse();
  }

  @Test
  void sharedThresholdIsOneCounterForAllMatches() {
    client.ask(descriptor("shared", "1"));
    client.ask(descriptor("shared", "2"));
    assertThat(client.ask(descriptor("shared", "3")).getStatuses(0).getLimitRemaining()).isZero();
    assertThat(codes(client.ask(descriptor("shared", "4")))).startsWith("OVER_LIMIT");
  }

  @Test
  void ruleAppliesAtItsDepthOnly() {
    assertThat(client.ask(descriptor("a", "1")).getStatuses(0).hasCurrentLimit()).isFalse();
    assertThat(client.ask(descriptor("a", "1", "b", "2")).getStatuses(0).getLimitRemaining())
        .isEqualTo(2);
    RateLimitResponse deeper = client.ask(descriptor("a", "1", "b", "2", "c", "3"));
    assertThat(codes(deeper)).isEqualTo("OK OK");
    assertThat(deeper.getStatuses(0).hasCurrentLimit()).isFalse();
  }

  @Test
  void entriesThatLookAlikeWhenJoinedHaveTheirOwnCounters() {
    RateLimitOverride.Builder one =
        RateLimitOverride.newBuilder().setRequestsPerUnit(1).setUnit(RateLimitUnit.HOUR);
    assertThat(codes(client.ask(descriptor("a", "b_c_d").setLimit(one)))).isEqualTo("OK OK");
    assertThat(codes(client.ask(descriptor("a", "b", "c", "d").setLimit(one)))).isEqualTo("OK OK");
    assertThat(codes(client.ask(descriptor("a", "b_c_d").setLimit(one)))).startsWith("OVER_LIMIT");
  }

  @Test
  void oneDescriptorOverDeniesAllAndChargesNothing() {
    RateLimitResponse denied =
        client.ask(descriptor("ip", "1.1.1.1"), descriptor("ip", "50.0.0.5"), descriptor("x", "y"));
    assertThat(codes(denied)).isEqualTo("OVER_LIMIT OK OVER_LIMIT OK");
    assertThat(denied.getStatuses(0).getLimitRemaining()).isEqualTo(10);

    for (int i = 0; i < 3; i++) {
      client.ask(descriptor("a", "1", "b", "2"));
    }
    denied = client.ask(descriptor("ip", "1.1.1.1"), descriptor("a", "1", "b", "2"));
    assertThat(codes(denied)).isEqualTo("OVER_LIMIT OK OVER_LIMIT");
    assertThat(client.ask(descriptor("ip", "1.1.1.1")).getStatuses(0).getLimitRemaining())
        .isEqualTo(9);
  }

  @Test
  void hitsAreTheRequestsOrTheDescriptorsOwn() {
    RateLimitRequest.Builder request =
        RateLimitRequest.newBuilder()
            .setDomain("d")
            .setHitsAddend(4)
            .addDescriptors(descriptor("ip", "1.1.1.1"))
            .addDescriptors(descriptor("ip", "2.2.2.2").setHitsAddend(hits(7)))
            .addDescriptors(descriptor("ip", "3.3.3.3").setHitsAddend(hits(0)));
    List<DescriptorStatus> statuses = client.ask(request.build()).getStatusesList();

    assertThat(statuses).extracting(DescriptorStatus::getLimitRemaining).containsExactly(6, 3, 10);
    assertThat(codes(client.ask(request.build()))).isEqualTo("OVER_LIMIT OK OVER_LIMIT OK");
  }

  @Test
  void zeroHitsOnlyLook() {
    assertThat(codes(client.ask(descriptor("exact", "k").setHitsAddend(hits(0)))))
        .isEqualTo("OK OK");
    client.ask(descriptor("exact", "k").setHitsAddend(hits(2)));
    assertThat(codes(client.ask(descriptor("exact", "k").setHitsAddend(hits(0)))))
        .isEqualTo("OVER_LIMIT OVER_LIMIT");
  }

  @Test
  void hitsBeyondAnyLimitAreDeniedAndChargeNothing() {
    assertThat(codes(client.ask(descriptor("ip", "1").setHitsAddend(hits(-1)))))
        .isEqualTo("OVER_LIMIT OVER_LIMIT");
    assertThat(client.ask(descriptor("ip", "1")).getStatuses(0).getLimitRemaining()).isEqualTo(9);
  }

  @Test
  void negativeHitsAreGivenBackAndAlwaysPass() {
    client.ask(descriptor("exact", "k").setHitsAddend(hits(2)));
    RateLimitResponse back =
        client.ask(descriptor("exact", "k").setHitsAddend(hits(1)).setIsNegativeHits(true));
    assertThat(codes(back)).isEqualTo("OK OK");
    assertThat(back.getStatuses(0).getLimitRemaining()).isEqualTo(1);

    RateLimitResponse more =
        client.ask(descriptor("exact", "k").setHitsAddend(hits(9)).setIsNegativeHits(true));
    assertThat(codes(more)).isEqualTo("OK OK");
    assertThat(more.getStatuses(0).getLimitRemaining()).isEqualTo(2);
  }

  @Test
  void negativeHitsAreGivenBackAlsoWhereTheRestIsDenied() {
    client.ask(descriptor("exact", "k").setHitsAddend(hits(2)));
    RateLimitResponse response =
        client.ask(
            descriptor("ip", "50.0.0.5"),
            descriptor("exact", "k").setIsNegativeHits(true),
            descriptor("ip", "50.0.0.5").setIsNegativeHits(true));
    assertThat(codes(response)).isEqualTo("OVER_LIMIT OVER_LIMIT OK OK");
    assertThat(client.ask(descriptor("exact", "k")).getStatuses(0).getLimitRemaining()).isZero();
  }

  @Test
  void negativeHitsDoNotSpeakForAQuota() {
    client.ask(descriptor("q1", "k"));
    RateLimitResponse response =
        client.ask(descriptor("q1", "k"), descriptor("q2", "k").setIsNegativeHits(true));
    assertThat(codes(response)).isEqualTo("OVER_LIMIT OVER_LIMIT OK");
  }

  @Test
  void shadowRuleCountsAndLetsPass() {
    client.ask(descriptor("watched", "k"));
    RateLimitResponse over = client.ask(descriptor("watched", "k"));
    assertThat(codes(over)).isEqualTo("OK OK");
    assertThat(over.getStatuses(0).getLimitRemaining()).isZero();
  }

  @Test
  void unlimitedPassesWithoutEnd() {
    DescriptorStatus status = client.ask(descriptor("free", "k")).getStatuses(0);
    assertThat(Integer.toUnsignedLong(status.getLimitRemaining())).isEqualTo(4_294_967_295L);
    assertThat(status.hasCurrentLimit()).isFalse();
  }

  @Test
  void replacedRuleDoesNotApply() {
    RateLimitResponse both = client.ask(descriptor("path", "/api/7/x"), descriptor("vip", "v"));
    assertThat(both.getStatuses(0).hasCurrentLimit()).isFalse();
    assertThat(both.getStatuses(1).getCurrentLimit().getName()).isEqualTo("vip");
    assertThat(client.ask(descriptor("path", "/api/7/x")).getStatuses(0).getLimitRemaining())
        .isEqualTo(4);
  }

  @Test
  void quotasDenyOnlyTogether() {
    assertThat(codes(client.ask(descriptor("q1", "k"), descriptor("q2", "k"))))
        .isEqualTo("OK OK OK");
    assertThat(codes(client.ask(descriptor("q1", "k"), descriptor("q2", "k"))))
        .isEqualTo("OK OVER_LIMIT OK");
    assertThat(
            codes(client.ask(descriptor("ip", "1"), descriptor("q1", "k"), descriptor("q2", "k"))))
        .isEqualTo("OVER_LIMIT OK OVER_LIMIT OVER_LIMIT");
    assertThat(client.ask(descriptor("ip", "1")).getStatuses(0).getLimitRemaining()).isEqualTo(9);
  }

  @Test
  void ruleMayUseAnyAlgorithm() {
    RateLimitResponse response = client.ask(descriptor("bucket", "k"));
    DescriptorStatus status = response.getStatuses(0);
    assertThat(status.getLimitRemaining()).isEqualTo(19);
    assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.UNKNOWN);
    assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(1);
    assertThat(
            response
                .getDynamicMetadata()
                .getFieldsOrThrow("owner")
                .getStructValue()
                .getFieldsOrThrow("team")
                .getStringValue())
        .isEqualTo("web");
    assertThat(response.getDynamicMetadata().getFieldsOrThrow("level").getNumberValue())
        .isEqualTo(3);
    client.ask(descriptor("exact", "k").setHitsAddend(hits(2)));
    clock.advance(Duration.ofHours(23));
    assertThat(codes(client.ask(descriptor("exact", "k")))).startsWith("OVER_LIMIT");
  }

  @Test
  void limitInTheRequestGoesBeforeTheRules() {
    RateLimitOverride.Builder three =
        RateLimitOverride.newBuilder().setRequestsPerUnit(3).setUnit(RateLimitUnit.DAY);
    DescriptorStatus status = client.ask(descriptor("ip", "9").setLimit(three)).getStatuses(0);
    assertThat(status.getCurrentLimit().getRequestsPerUnit()).isEqualTo(3);
    assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.DAY);
    assertThat(status.getLimitRemaining()).isEqualTo(2);
  }

  @Test
  void limitInTheRequestMayCountSeveralUnits() {
    RateLimitOverride.Builder override =
        RateLimitOverride.newBuilder()
            .setRequestsPerUnit(3)
            .setUnit(RateLimitUnit.MINUTE)
            .setUnitMultiplier(UInt32Value.of(5));
    clock.advance(Duration.ofSeconds(70));
    DescriptorStatus status = client.ask(descriptor("ip", "9").setLimit(override)).getStatuses(0);
    assertThat(status.getCurrentLimit().getUnit()).isEqualTo(Unit.MINUTE);
    assertThat(status.getCurrentLimit().getUnitMultiplier().getValue()).isEqualTo(5);
    assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(230);

    override.clearUnitMultiplier();
    status = client.ask(descriptor("ip", "8").setLimit(override)).getStatuses(0);
    assertThat(status.getCurrentLimit().hasUnitMultiplier()).isFalse();
    assertThat(status.getDurationUntilReset().getSeconds()).isEqualTo(50);
  }

  @Test
  void metadataKeepsTheTypesOfYaml() {
    Struct metadata = client.ask(descriptor("typed", "k")).getDynamicMetadata();
    assertThat(metadata)
        .isEqualTo(
            Struct.newBuilder()
                .putFields("version", Value.newBuilder().setStringValue("1.0").build())
                .putFields("word", Value.newBuilder().setStringValue("true").build())
                .putFields("rate", Value.newBuilder().setNumberValue(-1_500).build())
                .putFields("none", Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build())
                .build());
  }

  @Test
  void unknownDomainPasses() {
    RateLimitResponse response =
        client.ask(
            RateLimitRequest.newBuilder()
                .setDomain("other")
                .addDescriptors(descriptor("ip", "50.0.0.5"))
                .build());
    assertThat(codes(response)).isEqualTo("OK OK");
  }
}

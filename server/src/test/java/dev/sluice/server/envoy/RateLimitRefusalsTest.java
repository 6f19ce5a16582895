package dev.sluice.server.envoy;

import static dev.sluice.server.envoy.EnvoyClient.codes;
import static dev.sluice.server.envoy.EnvoyClient.descriptor;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.UInt32Value;
import dev.sluice.OnStoreFailure;
import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.server.LostStore;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.type.v3.RateLimitUnit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that ShouldRateLimit cannot answer, and the status that says so. */
class RateLimitRefusalsTest {
  @TempDir Path directory;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(
        directory.resolve("rules.yaml"),
        """
        domain: d
        descriptors:
          - key: ip
            rate_limit: {unit: second, requests_per_unit: 10}
          - key: ip
            value: 50.0.0.5
            rate_limit: {unit: second, requests_per_unit: 0}
          - key: free
            rate_limit: {unlimited: true}
        """);
  }

  private EnvoyServer serve(Store store, OnStoreFailure onStoreFailure) {
    return new EnvoyServer(directory, Sluice.of(store), onStoreFailure);
  }

  @Test
  void requestsThatMakeNoSenseAreInvalid() {
    RateLimitRequest.Builder empty = RateLimitRequest.newBuilder().setDomain("d");
    RateLimitOverride.Builder one = RateLimitOverride.newBuilder().setRequestsPerUnit(1);
    try (EnvoyServer server = serve(new InMemoryStore(), OnStoreFailure.DENY)) {
      EnvoyClient client = server.client();
      refused(client, empty, "descriptors must be from 1 to 100, got 0");
      refused(
          client,
          RateLimitRequest.newBuilder().addDescriptors(descriptor("ip", "1")),
          "domain must not be empty");
      refused(client, limited(one), "limit: unit must be known, got UNKNOWN");
      one.setUnit(RateLimitUnit.YEAR).setUnitMultiplier(UInt32Value.of(0));
      refused(client, limited(one), "limit: unit_multiplier must be at least 1, got 0");
      // Unsigned, so the most that there is.
      one.setUnitMultiplier(UInt32Value.of(-1));
      refused(
          client,
          limited(one),
          "per must be whole microseconds, from 1 microsecond to 3653 days, got PT37623913504200H");
    }
  }

  private static RateLimitRequest.Builder limited(RateLimitOverride.Builder limit) {
    return RateLimitRequest.newBuilder()
        .setDomain("d")
        .addDescriptors(descriptor("ip", "1").setLimit(limit));
  }

  private static void refused(EnvoyClient client, RateLimitRequest.Builder request, String why) {
    assertThatThrownBy(() -> client.ask(request.build())).hasMessage("INVALID_ARGUMENT: " + why);
  }

  @Test
  void failedStoreIsUnavailable() {
    try (EnvoyServer server = serve(new LostStore(), OnStoreFailure.DENY)) {
      EnvoyClient client = server.client();
      assertThatThrownBy(() -> client.ask(descriptor("ip", "1")))
          .hasMessage("UNAVAILABLE: store: no answer within 20 ms");
      assertThat(codes(client.ask(descriptor("free", "1"), descriptor("nope", "1"))))
          .isEqualTo("OK OK OK");
    }
  }

  @Test
  void failedStoreMayLetRequestsPass() {
    try (EnvoyServer server = serve(new LostStore(), OnStoreFailure.ALLOW)) {
      EnvoyClient client = server.client();
      assertThat(codes(client.ask(descriptor("ip", "1")))).isEqualTo("OK OK");
      assertThat(codes(client.ask(descriptor("ip", "50.0.0.5")))).startsWith("OVER_LIMIT");
    }
  }
}

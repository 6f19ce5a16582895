package dev.sluice.bench.server;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;

/** What all servers are asked. */
final class Questions {
  static final String HTTP_PATH = "/v1/check/demo/alice";
  static final String GRPC_PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  private Questions() {}

  static byte[] grpcMessage() {
    return RateLimitRequest.newBuilder()
        .setDomain("bench")
        .addDescriptors(
            RateLimitDescriptor.newBuilder()
                .addEntries(
                    RateLimitDescriptor.Entry.newBuilder().setKey("generic_key").setValue("hot")))
        .build()
        .toByteArray();
  }
}

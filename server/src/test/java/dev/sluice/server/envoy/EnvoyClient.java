package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UInt64Value;
import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;

/** grpc-java as it is sold, with nothing of Armeria in it. */
public final class EnvoyClient implements AutoCloseable {
  private static final MethodDescriptor<RateLimitRequest, RateLimitResponse> METHOD =
      MethodDescriptor.<RateLimitRequest, RateLimitResponse>newBuilder()
          .setType(MethodDescriptor.MethodType.UNARY)
          .setFullMethodName("envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit")
          .setRequestMarshaller(
              new Marshaller<>() {
                @Override
                public InputStream stream(RateLimitRequest request) {
                  return request.toByteString().newInput();
                }

                @Override
                RateLimitRequest read(InputStream in) throws IOException {
                  return RateLimitRequest.parseFrom(in);
                }
              })
          .setResponseMarshaller(
              new Marshaller<>() {
                @Override
                public InputStream stream(RateLimitResponse response) {
                  return response.toByteString().newInput();
                }

                @Override
                RateLimitResponse read(InputStream in) throws IOException {
                  return RateLimitResponse.parseFrom(in);
                }
              })
          .build();

  private abstract static class Marshaller<T> implements MethodDescriptor.Marshaller<T> {
    abstract T read(InputStream in) throws IOException;

    @Override
    public T parse(InputStream in) {
      try {
        return read(in);
      } catch (InvalidProtocolBufferException notTheirs) {
        throw Status.INTERNAL.withCause(notTheirs).asRuntimeException();
      } catch (IOException failed) {
        throw Status.UNAVAILABLE.withCause(failed).asRuntimeException();
      }
    }
  }

  private final ManagedChannel channel;

  public EnvoyClient(int port) {
    this.channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  public RateLimitResponse ask(RateLimitRequest request) {
    return ask(CallOptions.DEFAULT, request);
  }

  RateLimitResponse askPacked(RateLimitRequest request) {
    return ask(CallOptions.DEFAULT.withCompression("gzip"), request);
  }

  private RateLimitResponse ask(CallOptions options, RateLimitRequest request) {
    return ClientCalls.blockingUnaryCall(
        channel, METHOD, options.withDeadlineAfter(20, TimeUnit.SECONDS), request);
  }

  /** Asks about descriptors of the domain {@code d}. */
  public RateLimitResponse ask(RateLimitDescriptor.Builder... descriptors) {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("d");
    for (RateLimitDescriptor.Builder descriptor : descriptors) {
      request.addDescriptors(descriptor);
    }
    return ask(request.build());
  }

  /** A descriptor of keys and values in turn. */
  public static RateLimitDescriptor.Builder descriptor(String... entries) {
    RateLimitDescriptor.Builder descriptor = RateLimitDescriptor.newBuilder();
    for (int i = 0; i < entries.length; i += 2) {
      descriptor.addEntriesBuilder().setKey(entries[i]).setValue(entries[i + 1]);
    }
    return descriptor;
  }

  public static UInt64Value hits(long hits) {
    return UInt64Value.of(hits);
  }

  /** The codes of an answer: the overall one, then each descriptor's. */
  static String codes(RateLimitResponse response) {
    StringBuilder codes = new StringBuilder(response.getOverallCode().name());
    response.getStatusesList().forEach(status -> codes.append(' ').append(status.getCode()));
    return codes.toString();
  }

  @Override
  public void close() {
    channel.shutdownNow();
  }
}

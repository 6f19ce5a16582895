package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.grpc.protocol.ArmeriaStatusException;
import com.linecorp.armeria.common.stream.StreamMessage;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.grpc.protocol.AbstractUnaryGrpcService;
import dev.sluice.StoreUnavailableException;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit} over gRPC. */
final class RateLimitGrpcService extends AbstractUnaryGrpcService {
  static final String PATH = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  private static final Logger log = LoggerFactory.getLogger(RateLimitGrpcService.class);

  // Codes of gRPC's own list.
  private static final int INVALID_ARGUMENT = 3;
  private static final int RESOURCE_EXHAUSTED = 8;
  private static final int UNIMPLEMENTED = 12;
  private static final int INTERNAL = 13;
  private static final int UNAVAILABLE = 14;

  private static final String ENCODING = "grpc-encoding";
  private static final String PLAIN = "identity";

  private final RateLimitDecider decider;

  RateLimitGrpcService(RateLimitDecider decider) {
    this.decider = decider;
  }

  @Override
  protected CompletionStage<byte[]> handleMessage(ServiceRequestContext ctx, byte[] message) {
    try {
      return decider
          .decide(RateLimitRequest.parseFrom(message))
          .handle(
              (response, failure) -> {
                if (failure != null) {
                  throw status(failure);
                }
                return response.toByteArray();
              });
    } catch (InvalidProtocolBufferException | RuntimeException failure) {
      return CompletableFuture.failedFuture(status(failure));
    }
  }

  /** Decorates the service, which has no other way to say why it got no message. */
  static HttpResponse reading(
      HttpService service, ServiceRequestContext context, HttpRequest request) throws Exception {
    String encoding = request.headers().get(ENCODING, PLAIN);
    if (encoding.equals(PLAIN)) {
      return service.serve(context, request.mapError(cause -> unread(context, cause)));
    }
    request.abort();
    ArmeriaStatusException packed =
        new ArmeriaStatusException(
            UNIMPLEMENTED, "%s: must be %s, got %s".formatted(ENCODING, PLAIN, encoding));
    return service.serve(context, HttpRequest.of(request.headers(), StreamMessage.aborted(packed)));
  }

  /** Why a message could not be read, in gRPC's words where it is too large. */
  private static Throwable unread(ServiceRequestContext context, Throwable cause) {
    return cause instanceof HttpStatusException refused
            && refused.httpStatus().equals(HttpStatus.REQUEST_ENTITY_TOO_LARGE)
        ? new ArmeriaStatusException(
            RESOURCE_EXHAUSTED,
            "message: must be at most %d bytes".formatted(context.maxRequestLength()))
        : cause;
  }

  /** A failed store must never look like an answer: Envoy's own failure mode is to apply. */
  private static ArmeriaStatusException status(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    String message = String.valueOf(cause.getMessage());
    if (cause instanceof StoreUnavailableException) {
      return new ArmeriaStatusException(UNAVAILABLE, message);
    }
    if (cause instanceof IllegalArgumentException
        || cause instanceof InvalidProtocolBufferException) {
      return new ArmeriaStatusException(INVALID_ARGUMENT, message);
    }
    log.error("a request of Envoy's failed", cause);
    return new ArmeriaStatusException(INTERNAL, "the server's log says why");
  }
}

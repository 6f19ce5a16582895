package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.AbstractHttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import java.util.concurrent.CompletableFuture;

/** {@code POST /json}: the same in the JSON of protocol buffers; 200, or 429 when over. */
final class RateLimitJsonService extends AbstractHttpService {
  static final String PATH = "/json";

  private static final JsonFormat.Parser PARSER = JsonFormat.parser();
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();

  private final RateLimitDecider decider;

  RateLimitJsonService(RateLimitDecider decider) {
    this.decider = decider;
  }

  @Override
  protected HttpResponse doPost(ServiceRequestContext ctx, HttpRequest request) {
    return HttpResponse.of(request.aggregate().thenCompose(this::answer));
  }

  private CompletableFuture<HttpResponse> answer(AggregatedHttpRequest request) {
    RateLimitRequest.Builder asked = RateLimitRequest.newBuilder();
    try {
      PARSER.merge(request.contentUtf8(), asked);
    } catch (InvalidProtocolBufferException notTheirs) {
      throw new IllegalArgumentException("body: " + notTheirs.getMessage(), notTheirs);
    }
    return decider.decide(asked.build()).thenApply(RateLimitJsonService::response);
  }

  private static HttpResponse response(RateLimitResponse response) {
    boolean over = response.getOverallCode() == Code.OVER_LIMIT;
    HttpStatus status = over ? HttpStatus.TOO_MANY_REQUESTS : HttpStatus.OK;
    try {
      return HttpResponse.of(status, MediaType.JSON_UTF_8, PRINTER.print(response));
    } catch (InvalidProtocolBufferException impossible) {
      throw new IllegalStateException("an answer of ours is always printable", impossible);
    }
  }
}

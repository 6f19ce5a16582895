package dev.sluice.server.envoy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import dev.sluice.server.http.JsonPost;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import java.util.concurrent.CompletableFuture;

/** {@code POST /json}: the same in the JSON of protocol buffers; 200, or 429 when over. */
final class RateLimitJsonService extends JsonPost {
  static final String PATH = "/json";

  private static final JsonFormat.Parser PARSER = JsonFormat.parser();
  private static final JsonFormat.Printer PRINTER =
      JsonFormat.printer().omittingInsignificantWhitespace();

  // A request, its descriptors, one of them, its entries, one of these.
  private static final int DEEPEST = 5;
  // Their texts may quote the whole request.
  private static final int LONGEST_PROBLEM = 200;

  private final RateLimitDecider decider;

  RateLimitJsonService(RateLimitDecider decider) {
    super(DEEPEST);
    this.decider = decider;
  }

  @Override
  protected CompletableFuture<HttpResponse> answer(String json) {
    RateLimitRequest.Builder asked = RateLimitRequest.newBuilder();
    try {
      PARSER.merge(json, asked);
    } catch (InvalidProtocolBufferException notTheirs) {
      throw new IllegalArgumentException("body: " + why(notTheirs), notTheirs);
    }
    return decider.decide(asked.build()).thenApply(RateLimitJsonService::response);
  }

  private static String why(InvalidProtocolBufferException notTheirs) {
    if (notTheirs.getCause() instanceof RuntimeException) {
      // Their parser stumbled over a value of the wrong kind, and says so in words of its own.
      return "must be a RateLimitRequest in the JSON of protocol buffers";
    }
    String why = String.valueOf(notTheirs.getMessage());
    return why.length() > LONGEST_PROBLEM ? why.substring(0, LONGEST_PROBLEM) + "…" : why;
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

package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.ResponseCompleteException;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.common.ResponseHeadersBuilder;
import com.linecorp.armeria.common.util.Exceptions;
import com.linecorp.armeria.server.HttpStatusException;
import com.linecorp.armeria.server.RequestTimeoutException;
import dev.sluice.Check;
import dev.sluice.Decision;
import dev.sluice.StoreUnavailableException;
import dev.sluice.http.DecisionJson;
import dev.sluice.http.Problem;
import dev.sluice.http.RateLimitHeaders;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/** Decisions, documents and failures as HTTP responses. */
final class Answers {
  static final MediaType PROBLEM = MediaType.parse(Problem.MEDIA_TYPE);

  private static final Logger LOG = LoggerFactory.getLogger(Answers.class);
  private static final RateLimitHeaders HEADERS = RateLimitHeaders.standard();

  private Answers() {}

  /** 200 when allowed, else {@code denied}: 429, or what a proxy asked for. */
  static HttpResponse decision(Decision decision, int denied) {
    return decision.allowed()
        ? of(headers(200, MediaType.JSON_UTF_8), decision, DecisionJson.bytes(decision))
        : of(headers(denied, PROBLEM), decision, Problem.denied(decision).status(denied).json());
  }

  /** 200 whatever was decided: for those who look without asking to pass. */
  static HttpResponse state(Decision decision) {
    return of(headers(200, MediaType.JSON_UTF_8), decision, DecisionJson.bytes(decision));
  }

  private static HttpResponse of(ResponseHeadersBuilder headers, Decision decision, byte[] json) {
    HEADERS.write(decision, headers::add);
    return HttpResponse.of(headers.build(), HttpData.wrap(json));
  }

  /** Checks that were decided together: 200 or 429. */
  static HttpResponse together(List<Decision> decisions) {
    boolean allowed = decisions.stream().allMatch(Decision::allowed);
    ResponseHeadersBuilder headers =
        allowed ? headers(200, MediaType.JSON_UTF_8) : headers(429, PROBLEM);
    HEADERS.write(decisions, headers::add);
    byte[] json = allowed ? DecisionJson.bytes(decisions) : Problem.denied(decisions).json();
    return HttpResponse.of(headers.build(), HttpData.wrap(json));
  }

  /** A reservation that was made: 201. */
  static HttpResponse reserved(Consumer<JsonGenerator> members, Decision decision) {
    return of(headers(201, MediaType.JSON_UTF_8), decision, Json.object(members));
  }

  /**
   * Checks that were decided each on its own: always 200. One that the store did not decide stands
   * as what its problem would be, with its status.
   */
  static HttpResponse each(List<Check> checks, List<Optional<Decision>> decisions) {
    ResponseHeadersBuilder headers = headers(200, MediaType.JSON_UTF_8);
    List<Decision> decided = decisions.stream().flatMap(Optional::stream).toList();
    if (!decided.isEmpty()) {
      HEADERS.write(decided, headers::add);
    }
    boolean allowed =
        decided.size() == checks.size() && decided.stream().allMatch(Decision::allowed);
    byte[] json =
        Json.object(
            out -> {
              out.writeBooleanProperty("allowed", allowed);
              out.writeArrayPropertyStart("checks");
              for (int i = 0; i < checks.size(); i++) {
                Check check = checks.get(i);
                decisions
                    .get(i)
                    .ifPresentOrElse(d -> DecisionJson.write(d, out), () -> undecided(check, out));
              }
              out.writeEndArray();
            });
    return HttpResponse.of(headers.build(), HttpData.wrap(json));
  }

  private static void undecided(Check check, JsonGenerator json) {
    Problem problem = Problem.storeUnavailable();
    json.writeStartObject();
    json.writeBooleanProperty("allowed", false);
    json.writeStringProperty("policy", check.policy());
    json.writeStringProperty("key", check.key());
    json.writeNumberProperty("cost", check.cost());
    json.writeNumberProperty("status", problem.status());
    json.writeStringProperty("detail", problem.detail());
    json.writeEndObject();
  }

  static HttpResponse json(int status, Consumer<JsonGenerator> members) {
    return HttpResponse.of(
        headers(status, MediaType.JSON_UTF_8).build(), HttpData.wrap(Json.object(members)));
  }

  static HttpResponse problem(Problem problem) {
    return HttpResponse.of(problemHeaders(problem).build(), HttpData.wrap(problem.json()));
  }

  /** The same with one more header. */
  static HttpResponse problem(Problem problem, CharSequence header, String value) {
    return HttpResponse.of(
        problemHeaders(problem).add(header, value).build(), HttpData.wrap(problem.json()));
  }

  static ResponseHeadersBuilder problemHeaders(Problem problem) {
    return headers(problem.status(), PROBLEM);
  }

  /** Answers change with every request: nothing on the way may keep them. */
  static ResponseHeadersBuilder headers(int status, MediaType type) {
    return ResponseHeaders.builder(HttpStatus.valueOf(status))
        .contentType(type)
        .add(HttpHeaderNames.CACHE_CONTROL, "no-store");
  }

  /** The answer to a request that could not be answered. */
  static HttpResponse failure(Throwable thrown) {
    Throwable cause = Exceptions.peel(thrown);
    if (cause instanceof ProblemException known) {
      return problem(known.problem());
    }
    if (cause instanceof StoreUnavailableException) {
      return problem(Problem.storeUnavailable());
    }
    if (cause instanceof IllegalArgumentException invalid) {
      return problem(Problem.badRequest(String.valueOf(invalid.getMessage())));
    }
    if (cause instanceof HttpStatusException refused) {
      return problem(HttpProblems.of(refused.httpStatus()));
    }
    if (cause instanceof RequestTimeoutException) {
      return tooSlow();
    }
    // A caller who is gone, or was told already, needs no line in the log.
    if (!Exceptions.isExpected(cause) && !(cause instanceof ResponseCompleteException)) {
      LOG.error("a request failed", cause);
    }
    return problem(Problem.of(500, "Internal Server Error", "the server's log says why"));
  }

  /** The rest of a request that came too slowly must not be taken for the next one. */
  private static HttpResponse tooSlow() {
    return problem(
        HttpProblems.of(HttpStatus.SERVICE_UNAVAILABLE), HttpHeaderNames.CONNECTION, "close");
  }
}

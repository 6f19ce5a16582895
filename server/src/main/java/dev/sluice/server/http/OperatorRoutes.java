package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import dev.sluice.server.Readiness;
import dev.sluice.server.ServerContext;
import dev.sluice.server.metrics.TopKeys;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What operators and their machines look at: rules, top keys, health, metrics. */
final class OperatorRoutes {
  private static final int TOP = 50;
  private static final MediaType PROMETHEUS =
      MediaType.parse("text/plain; version=0.0.4; charset=utf-8");

  private final ServerContext context;
  private final Admin admin;

  OperatorRoutes(ServerContext context, Admin admin) {
    this.context = context;
    this.admin = admin;
  }

  void attach(Routes routes) {
    routes
        .add(HttpMethod.GET, "/v1/policies", this::policies)
        .add(HttpMethod.GET, "/v1/top", admin.onlyIfExposed(this::top))
        .add(HttpMethod.GET, "/healthz", this::health)
        .add(HttpMethod.GET, "/readyz", this::readiness)
        .add(HttpMethod.GET, "/metrics", this::metrics);
  }

  private CompletionStage<HttpResponse> policies(Call call) {
    call.query();
    return now(Answers.json(200, json -> PoliciesJson.write(context, json)));
  }

  private CompletionStage<HttpResponse> top(Call call) {
    Optional<String> policy = call.query("policy").text("policy").filter(p -> !p.isEmpty());
    policy.ifPresent(name -> Limiters.named(context.sluice(), name));
    List<TopKeys.TopKey> keys =
        policy.map(name -> context.top().top(name, TOP)).orElseGet(() -> context.top().top(TOP));
    return now(
        Answers.json(
            200,
            json -> {
              json.writeArrayPropertyStart("keys");
              for (TopKeys.TopKey key : keys) {
                json.writeStartObject();
                json.writeStringProperty("policy", key.policy());
                json.writeStringProperty("key", key.key());
                json.writeNumberProperty("denied", key.denied());
                json.writeNumberProperty("overcount", key.overcount());
                json.writeStringProperty("limit", key.limit());
                json.writeEndObject();
              }
              json.writeEndArray();
            }));
  }

  private CompletionStage<HttpResponse> health(Call call) {
    return now(Answers.json(200, json -> json.writeStringProperty("status", "alive")));
  }

  private CompletionStage<HttpResponse> readiness(Call call) {
    Readiness.State state = context.readiness().state();
    int status =
        switch (state) {
          case READY, DEGRADED -> 200;
          case STARTING, DRAINING -> 503;
        };
    String word = state.name().toLowerCase(Locale.ROOT);
    return now(Answers.json(status, json -> json.writeStringProperty("status", word)));
  }

  private CompletionStage<HttpResponse> metrics(Call call) {
    return call.blocking(() -> context.meters().scrape())
        .thenApply(
            text ->
                HttpResponse.of(
                    Answers.headers(200, PROMETHEUS).build(),
                    HttpData.wrap(text.getBytes(StandardCharsets.UTF_8))));
  }

  private static CompletionStage<HttpResponse> now(HttpResponse response) {
    return CompletableFuture.completedFuture(response);
  }
}

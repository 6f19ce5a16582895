package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import dev.sluice.Limit;
import dev.sluice.Policy;
import dev.sluice.server.ServerContext;
import dev.sluice.server.config.Rules;
import dev.sluice.server.metrics.LiveStats;
import dev.sluice.server.metrics.TopKeys;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import tools.jackson.core.JsonGenerator;

/**
 * The page at {@code /} and the figures it asks for once a second. Where others can reach the
 * server, the page is there only if a token is configured, and the figures only for those who have
 * it.
 */
final class DashboardRoutes {
  private static final String FOLDER = "/dev/sluice/server/dashboard/";
  private static final int TOP = 10;
  // No inline script or style, nothing from elsewhere, not inside other pages.
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  private static final Map<String, String> ASSETS =
      Map.of(
          "dashboard.css", "dashboard.css",
          "dashboard.js", "dashboard.js",
          "icon.svg", "icon.svg",
          "uPlot.min.css", "uplot/uPlot.min.css",
          "uPlot.iife.min.js", "uplot/uPlot.iife.min.js");

  private final ServerContext context;
  private final Admin admin;
  private final Instant started = Instant.now();

  DashboardRoutes(ServerContext context, Admin admin) {
    this.context = context;
    this.admin = admin;
  }

  void attach(Routes routes) {
    if (!context.loopback() && context.options().adminToken().isEmpty()) {
      return;
    }
    routes
        .add(HttpMethod.GET, "/", call -> file("index.html", MediaType.HTML_UTF_8))
        .add(HttpMethod.GET, "/assets/{file}", call -> asset(call.argument(0)))
        .add(HttpMethod.GET, "/v1/live", admin.onlyIfExposed(this::live));
  }

  private static CompletionStage<HttpResponse> asset(String name) {
    String file = ASSETS.get(name);
    if (file == null) {
      return now(Answers.problem(HttpProblems.of(HttpStatus.NOT_FOUND)));
    }
    return file(file, type(name));
  }

  private static MediaType type(String name) {
    return switch (name.substring(name.lastIndexOf('.'))) {
      case ".css" -> MediaType.CSS_UTF_8;
      case ".svg" -> MediaType.SVG_UTF_8;
      default -> MediaType.JAVASCRIPT_UTF_8;
    };
  }

  private static CompletionStage<HttpResponse> file(String name, MediaType type) {
    try (InputStream in = DashboardRoutes.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalStateException("dashboard file '" + name + "' is not in the jar");
      }
      return now(
          HttpResponse.of(
              Answers.headers(200, type)
                  .add(HttpHeaderNames.CONTENT_SECURITY_POLICY, POLICY)
                  .add(HttpHeaderNames.X_CONTENT_TYPE_OPTIONS, "nosniff")
                  .add(HttpHeaderNames.REFERRER_POLICY, "no-referrer")
                  .build(),
              HttpData.wrap(in.readAllBytes())));
    } catch (IOException unreadable) {
      throw new UncheckedIOException("dashboard file '" + name + "'", unreadable);
    }
  }

  private CompletionStage<HttpResponse> live(Call call) {
    call.query();
    return now(Answers.json(200, this::figures));
  }

  private void figures(JsonGenerator json) {
    json.writeNumberProperty("now", System.currentTimeMillis());
    json.writeNumberProperty("uptimeMillis", Duration.between(started, Instant.now()).toMillis());
    json.writeStringProperty("state", context.readiness().state().name().toLowerCase(Locale.ROOT));
    json.writeStringProperty("store", context.storeName());
    json.writeArrayPropertyStart("latency");
    for (long count : context.live().latency()) {
      json.writeNumber(count);
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("policies");
    for (Policy policy : context.sluice().policies()) {
      policy(policy, json);
    }
    json.writeEndArray();
    json.writeArrayPropertyStart("top");
    for (TopKeys.TopKey key : context.top().top(TOP)) {
      json.writeStartObject();
      json.writeStringProperty("policy", key.policy());
      json.writeStringProperty("key", key.key());
      json.writeStringProperty("limit", key.limit());
      json.writeNumberProperty("denied", key.denied());
      json.writeEndObject();
    }
    json.writeEndArray();
    rules(json);
  }

  private void policy(Policy policy, JsonGenerator json) {
    LiveStats.Counts counts = context.live().of(policy.name());
    json.writeStartObject();
    json.writeStringProperty("name", policy.name());
    json.writeNumberProperty("allowed", counts.allowed());
    json.writeNumberProperty("denied", counts.denied());
    json.writeNumberProperty("degraded", counts.degraded());
    json.writeNumberProperty("near", counts.near());
    json.writeBooleanProperty("shadow", policy.shadow());
    json.writeStringProperty(
        "onStoreFailure", policy.onStoreFailure().name().toLowerCase(Locale.ROOT));
    json.writeArrayPropertyStart("limits");
    for (Limit limit : policy.limits()) {
      json.writeString(limit.toString());
    }
    json.writeEndArray();
    json.writeNumberProperty("keyRules", policy.keys().size());
    json.writeEndObject();
  }

  private void rules(JsonGenerator json) {
    Rules.Status status = context.rules().status();
    json.writeObjectPropertyStart("rules");
    json.writeStringProperty("source", status.source());
    json.writeStringProperty("loadedAt", status.loadedAt().toString());
    PoliciesJson.refused(context, json);
    json.writeEndObject();
  }

  private static CompletionStage<HttpResponse> now(HttpResponse response) {
    return CompletableFuture.completedFuture(response);
  }
}

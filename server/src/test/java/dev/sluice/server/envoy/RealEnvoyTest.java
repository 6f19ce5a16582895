package dev.sluice.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.Programs;
import dev.sluice.server.ServerOptions;
import dev.sluice.server.http.Caller;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real Envoy in front, with Sluice as its rate limit service and, at /healthz, its upstream. */
class RealEnvoyTest {
  private static final String RULES =
      """
      domain: web
      descriptors:
        - key: user
          rate_limit: {requests_per_unit: 3, per: 1d, algorithm: sliding-log}
      """;
  private static final String ENVOY =
      """
      static_resources:
        listeners:
          - address: {socket_address: {address: 127.0.0.1, port_value: %1$d}}
            filter_chains:
              - filters:
                  - name: envoy.filters.network.http_connection_manager
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                      stat_prefix: test
                      route_config:
                        virtual_hosts:
                          - name: all
                            domains: ["*"]
                            routes:
                              - match: {prefix: /}
                                route:
                                  cluster: upstream
                                  prefix_rewrite: /healthz
                                  rate_limits:
                                    - actions: [{request_headers: {header_name: x-user, descriptor_key: user}}]
                      http_filters:
                        - name: envoy.filters.http.ratelimit
                          typed_config:
                            "@type": type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimit
                            domain: web
                            timeout: 10s
                            failure_mode_deny: true
                            enable_x_ratelimit_headers: DRAFT_VERSION_03
                            rate_limit_service:
                              transport_api_version: V3
                              grpc_service: {envoy_grpc: {cluster_name: sluice}}
                        - name: envoy.filters.http.router
                          typed_config:
                            "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
        clusters:
          - name: upstream
            load_assignment: {cluster_name: upstream, endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: %2$d}}}}]}]}
          - name: sluice
            typed_extension_protocol_options:
              envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                explicit_http_config: {http2_protocol_options: {}}
            load_assignment: {cluster_name: sluice, endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: %2$d}}}}]}]}
      """;

  @TempDir Path directory;

  @Test
  void envoyLimitsByOurAnswers() throws IOException, InterruptedException {
    Optional<String> program = Programs.find("envoy");
    if (program.isEmpty()) {
      return;
    }
    Path rules = directory.resolve("rules.yaml");
    Path config = directory.resolve("envoy.yaml");
    File log = directory.resolve("envoy.log").toFile();
    Caller.write(rules, RULES);
    int port = freePort();
    try (Caller sluice = Caller.of(new ServerOptions().envoyConfig(rules))) {
      Caller.write(config, ENVOY.formatted(port, sluice.port()));
      Process envoy =
          new ProcessBuilder(
                  program.get(),
                  "-c",
                  config.toString(),
                  "--use-dynamic-base-id",
                  "--concurrency",
                  "1",
                  "--log-level",
                  "warning")
              .redirectErrorStream(true)
              .redirectOutput(log)
              .start();
      try {
        HttpClient client = HttpClient.newHttpClient();
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .ignoreExceptions()
            .until(() -> get(client, port, "warm-up").statusCode() == 200);

        for (int left = 2; left >= 0; left--) {
          HttpResponse<String> passed = get(client, port, "alice");
          assertThat(passed.statusCode()).isEqualTo(200);
          assertThat(passed.headers().firstValue("x-ratelimit-remaining"))
              .hasValue(Integer.toString(left));
        }
        HttpResponse<String> denied = get(client, port, "alice");
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValue("x-envoy-ratelimited")).hasValue("true");
        assertThat(denied.headers().firstValue("x-ratelimit-limit")).hasValue("3, 3;w=86400");
        assertThat(get(client, port, "bob").statusCode()).isEqualTo(200);
      } finally {
        envoy.destroy();
        assertThat(envoy.waitFor(20, TimeUnit.SECONDS)).isTrue();
      }
    }
  }

  private static HttpResponse<String> get(HttpClient client, int port, String user)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + port + "/");
    HttpRequest request =
        HttpRequest.newBuilder(uri).header("x-user", user).timeout(Duration.ofSeconds(20)).build();
    return client.send(request, HttpResponse.BodyHandlers.ofString());
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}

package dev.sluice.bench.server;

import dev.sluice.server.ServerOptions;
import dev.sluice.server.SluiceServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sluice as {@code serve} starts it, with limits that nobody reaches. Prints its two ports. */
final class SluiceProcess {
  private static final String POLICIES =
      "policies: {demo: {limits: [{algorithm: token-bucket, permits: 1000000000, per: 1s}]}}\n";
  private static final String ENVOY =
      """
      domain: bench
      descriptors:
        - {key: generic_key, value: hot, rate_limit: {unit: second, requests_per_unit: 1000000000}}
      """;

  private SluiceProcess() {}

  public static void main(String[] args) throws IOException {
    Path folder = Files.createTempDirectory("sluice-bench");
    Path policies = Files.writeString(folder.resolve("policies.yml"), POLICIES);
    Path envoy = Files.writeString(folder.resolve("envoy.yml"), ENVOY);
    SluiceServer server =
        SluiceServer.start(
            new ServerOptions().config(policies).envoyConfig(envoy).httpPort(0).respPort(0));
    System.out.println(server.httpPort() + " " + server.respPort().orElseThrow());
  }
}

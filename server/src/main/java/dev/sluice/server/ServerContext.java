package dev.sluice.server;

import dev.sluice.Sluice;
import dev.sluice.server.config.Rules;
import dev.sluice.server.metrics.LiveStats;
import dev.sluice.server.metrics.TopKeys;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Optional;

/**
 * What every face of the server works with.
 *
 * @param adminToken empty where admin calls are refused
 * @param storeName the store's kind as the ready line shows it: an address without its secrets
 * @param refusals what was refused of files that are read again, those of {@code rules} included
 */
public record ServerContext(
    ServerOptions options,
    Optional<AdminToken> adminToken,
    Sluice sluice,
    String storeName,
    Rules rules,
    Refusals refusals,
    PrometheusMeterRegistry meters,
    TopKeys top,
    LiveStats live,
    Readiness readiness) {
  /** Whether only this machine can reach the server. */
  public boolean loopback() {
    return Bind.isLoopback(options.bind());
  }

  /** Whether connections are encrypted. */
  public boolean tls() {
    return options.tlsCertificate().isPresent();
  }
}

package dev.sluice.server.envoy;

import com.linecorp.armeria.server.ServerBuilder;
import dev.sluice.Sluice;
import dev.sluice.server.config.Rules;
import java.util.Optional;
import java.util.function.Consumer;

/** Envoy's rate limit service on the HTTP port: gRPC, and {@code POST /json}. */
public final class EnvoyFace {
  private final EnvoyConfig config;
  private final RateLimitDecider decider;

  /**
   * Reads the rules.
   *
   * @param reloaded hears of every later attempt to load changed rules, and whether it succeeded
   * @throws dev.sluice.server.config.PolicyFileException if the rules have a problem
   */
  public EnvoyFace(Sluice sluice, EnvoyOptions options, Consumer<Boolean> reloaded) {
    this.config = new EnvoyConfig(options, reloaded);
    this.decider = new RateLimitDecider(sluice, config::rules);
  }

  /** Adds the routes. */
  public void attach(ServerBuilder server) {
    server.service(
        RateLimitGrpcService.PATH,
        new RateLimitGrpcService(decider).decorate(RateLimitGrpcService::reading));
    server.service(RateLimitJsonService.PATH, new RateLimitJsonService(decider));
  }

  /** Why changed rules were refused; empty while those in force are those of the files. */
  public Optional<Rules.Failure> refused() {
    return config.refused();
  }

  /** Looks whether the rules have changed, and puts them in force. */
  public void refresh() {
    config.refresh();
  }
}

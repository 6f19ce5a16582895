package dev.sluice.server;

import dev.sluice.Sluice;
import dev.sluice.Store;
import dev.sluice.StoreUnavailableException;
import dev.sluice.redis.RedisAddress;
import dev.sluice.redis.RedisOptions;
import dev.sluice.redis.RedisStore;
import dev.sluice.server.config.PolicyFileException;
import dev.sluice.server.config.Rules;
import dev.sluice.server.config.RulesWatcher;
import dev.sluice.server.envoy.EnvoyFace;
import dev.sluice.server.envoy.EnvoyOptions;
import dev.sluice.server.http.HttpFace;
import dev.sluice.server.metrics.DecisionMetrics;
import dev.sluice.server.metrics.LeaseMetrics;
import dev.sluice.server.metrics.LiveStats;
import dev.sluice.server.metrics.MeterClock;
import dev.sluice.server.metrics.MeteredStore;
import dev.sluice.server.metrics.StoreMetrics;
import dev.sluice.server.metrics.TopKeys;
import dev.sluice.server.resp.RespOptions;
import dev.sluice.server.resp.RespServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running server. Made by {@link #start}; {@link #close} drains it.
 *
 * <p>Start: rules, store, faces, ready. Close, the other way round: readiness first, so that load
 * balancers look elsewhere, then the faces, each finishing what is in flight, then the store.
 */
public final class SluiceServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceServer.class);

  private final ServerContext context;
  private final StoreProbe probe;
  private final RulesWatcher watcher;
  private final List<Face> faces;

  SluiceServer(ServerContext context, StoreProbe probe, RulesWatcher watcher, List<Face> faces) {
    this.context = context;
    this.probe = probe;
    this.watcher = watcher;
    this.faces = faces;
  }

  /**
   * Starts a server; it answers when this returns.
   *
   * @throws StartupException if an option, the policies file, the store or a port stands in the way
   */
  public static SluiceServer start(ServerOptions options) {
    options.check();
    Optional<AdminToken> adminToken = adminToken(options);
    Rules rules;
    try {
      rules = Rules.load(options.config().orElse(null), options.storeDeadline());
    } catch (PolicyFileException wrong) {
      throw new StartupException(String.valueOf(wrong.getMessage()), wrong);
    }
    String address = options.store().or(rules::store).orElse("memory");
    MeterClock clock = new MeterClock();
    PrometheusMeterRegistry meters =
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
    Readiness readiness = new Readiness();
    Store store = open(address, options.requireStore());
    StoreProbe probe = new StoreProbe(store, readiness);
    try {
      probe(options, probe);
      Sluice sluice = Sluice.of(new MeteredStore(store, meters));
      TopKeys top = new TopKeys(clock::lastNanos);
      LiveStats live = new LiveStats();
      sluice
          .listener(new DecisionMetrics(meters))
          .listener(new LeaseMetrics(sluice, meters))
          .listener(top)
          .listener(live);
      sluice.policies(rules.policies());
      countReloads(rules, meters);
      StoreMetrics.bind(store, meters);
      Refusals refusals = new Refusals();
      refusals.add(() -> rules.status().failure());
      ServerContext context =
          new ServerContext(
              options,
              adminToken,
              sluice,
              StoreAddress.shown(address),
              rules,
              refusals,
              meters,
              top,
              live,
              readiness);
      return serve(context, probe, clock);
    } catch (RuntimeException failed) {
      probe.close();
      store.close();
      throw failed;
    }
  }

  private static Optional<AdminToken> adminToken(ServerOptions options) {
    try {
      return options.adminToken().map(AdminToken::new);
    } catch (IllegalArgumentException wrong) {
      throw new StartupException("--" + wrong.getMessage(), wrong);
    }
  }

  private static SluiceServer serve(ServerContext context, StoreProbe probe, MeterClock clock) {
    ServerOptions options = context.options();
    List<Face> faces = new ArrayList<>();
    try {
      Optional<EnvoyFace> envoy = options.envoyConfig().map(rules -> envoy(context, rules));
      envoy.ifPresent(face -> context.refusals().add(face::refused));
      options.respPort().ifPresent(port -> faces.add(resp(context, port)));
      faces.add(
          0,
          HttpFace.start(
              context,
              Bind.address("http", options.bind(), options.httpPort()),
              builder -> envoy.ifPresent(face -> face.attach(builder))));
      RulesWatcher watcher = new RulesWatcher(context.rules(), context.sluice());
      envoy.ifPresent(face -> watcher.watch(face::refresh));
      watcher.watch(clock::look);
      if (!context.storeName().equals("memory")) {
        probe.start();
      }
      context.readiness().serving();
      return new SluiceServer(context, probe, watcher, List.copyOf(faces));
    } catch (RuntimeException failed) {
      faces.forEach(Face::close);
      throw failed;
    }
  }

  private static Face resp(ServerContext context, int port) {
    ServerOptions options = context.options();
    String host = Bind.address("resp", options.bind(), port).getAddress().getHostAddress();
    return new RespServer(
        context.sluice(),
        RespOptions.on(host, port)
            .password(context.adminToken().orElse(null))
            .onStoreFailure(options.onStoreFailure())
            .storeDeadline(options.storeDeadline())
            .inMemory(context.storeName().equals("memory")));
  }

  private static EnvoyFace envoy(ServerContext context, Path rules) {
    ServerOptions options = context.options();
    EnvoyOptions envoy = new EnvoyOptions(rules, options.onStoreFailure(), options.storeDeadline());
    try {
      return new EnvoyFace(
          context.sluice(), envoy, loaded -> reloads(context.meters(), loaded).increment());
    } catch (PolicyFileException wrong) {
      throw new StartupException(String.valueOf(wrong.getMessage()), wrong);
    }
  }

  private static Store open(String address, boolean required) {
    try {
      return required && RedisAddress.understands(address)
          ? RedisStore.connectNow(RedisAddress.parse(address), RedisOptions.defaults())
          : Sluice.open(address).store();
    } catch (StoreUnavailableException away) {
      throw new StartupException("--require-store: " + away.getMessage(), away);
    } catch (IllegalArgumentException wrong) {
      throw new StartupException(String.valueOf(wrong.getMessage()), wrong);
    }
  }

  /** A store out of reach may come back by itself; a fleet must be able to start without it. */
  private static void probe(ServerOptions options, StoreProbe probe) {
    Optional<StoreUnavailableException> failure = probe.ask();
    if (failure.isEmpty()) {
      return;
    }
    String why = String.valueOf(failure.get().getMessage());
    if (options.requireStore()) {
      throw new StartupException("--require-store: " + why, failure.get());
    }
    LOG.warn("{}; serving by policy until the store is back", why);
  }

  private static void countReloads(Rules rules, PrometheusMeterRegistry meters) {
    // Both are there from the start: an alert cannot be set on a counter that does not exist.
    Counter success = reloads(meters, true);
    Counter failure = reloads(meters, false);
    rules.listener(loaded -> (loaded ? success : failure).increment());
  }

  private static Counter reloads(PrometheusMeterRegistry meters, boolean loaded) {
    return Counter.builder("sluice.config.reloads")
        .description("Changed files, put in force or refused")
        .tag("outcome", loaded ? "success" : "failure")
        .register(meters);
  }

  /** The port for HTTP and gRPC. */
  public int httpPort() {
    return port("http").orElseThrow();
  }

  /** The port for Redis clients, if they are served. */
  public Optional<Integer> respPort() {
    return port("resp");
  }

  private Optional<Integer> port(String name) {
    return faces.stream().filter(face -> face.name().equals(name)).map(Face::port).findFirst();
  }

  /** What the server's faces share. */
  public ServerContext context() {
    return context;
  }

  /** The line that tells scripts that the server answers, and where. */
  public String readyLine() {
    StringBuilder line = new StringBuilder("sluice ready");
    String bind = context.options().bind();
    for (Face face : faces) {
      line.append(' ').append(face.name()).append('=').append(Bind.text(bind, face.port()));
    }
    return line.append(" store=")
        .append(context.storeName())
        .append(" policies=")
        .append(context.sluice().policies().size())
        .toString();
  }

  /**
   * Stops accepting, finishes what is in flight, and frees everything. A part that fails to close
   * keeps no other open, least of all the store, which gets back what was leased.
   */
  @Override
  public void close() {
    Closing closing = new Closing();
    context.readiness().draining();
    closing.part(watcher::close);
    beHeard(context.options().drainDelay());
    List<CompletableFuture<Void>> closed = new ArrayList<>();
    for (Face face : faces) {
      // Each waits for its requests; in a common pool of one thread they would wait in turn.
      closing.part(
          () ->
              closed.add(
                  CompletableFuture.runAsync(
                      face::close, task -> new Thread(task, "sluice-close").start())));
    }
    closed.forEach(face -> closing.part(face::join));
    closing.part(probe::close);
    closing.part(context.sluice()::close);
    closing.end();
  }

  /** Goes on serving until load balancers have seen that it is not ready any more. */
  private static void beHeard(Duration delay) {
    try {
      Thread.sleep(delay.toMillis());
    } catch (InterruptedException hurried) {
      Thread.currentThread().interrupt();
    }
  }
}

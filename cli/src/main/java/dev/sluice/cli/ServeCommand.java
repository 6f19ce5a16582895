package dev.sluice.cli;

import dev.sluice.OnStoreFailure;
import dev.sluice.server.ServerOptions;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.StartupException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice serve}: runs the server until it is told to stop. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Serve limits over HTTP, gRPC and RESP; prints one line when ready.")
final class ServeCommand implements Callable<Integer> {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Policies file, reloaded when it changes. Without one: demo and login.")
  private @Nullable Path config;

  @Option(
      names = "--store",
      paramLabel = "STORE",
      description = {
        "memory (default), redis://[user:password@]host:port[/db], rediss://…,",
        "redis-sentinel://host:port,…/name or redis-cluster://host:port,…"
      })
  private @Nullable String store;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      defaultValue = "8080",
      description = "HTTP and gRPC; 0 picks a free one (default: ${DEFAULT-VALUE}).")
  private int httpPort;

  @Option(
      names = "--resp-port",
      paramLabel = "PORT",
      defaultValue = "7379",
      description = "For Redis clients; 0 picks a free one (default: ${DEFAULT-VALUE}).")
  private int respPort;

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "Address to listen on (default: ${DEFAULT-VALUE}).")
  private String bind = "";

  @Option(
      names = "--envoy-config",
      paramLabel = "FILE-or-DIR",
      description = "Rules for Envoy in envoyproxy/ratelimit's YAML, reloaded when they change.")
  private @Nullable Path envoyConfig;

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      description = "What admin calls must bring; without it they are refused.")
  private @Nullable String adminToken;

  @Option(
      names = "--store-deadline",
      paramLabel = "TIME",
      defaultValue = "20ms",
      converter = DurationOption.class,
      description = "For the store, where a policy has none (default: ${DEFAULT-VALUE}).")
  private Duration storeDeadline = Duration.ZERO;

  @Option(
      names = "--on-store-failure",
      paramLabel = "error|allow",
      defaultValue = "error",
      converter = StoreFailureOption.class,
      description = "For CL.THROTTLE and Envoy's rules (default: ${DEFAULT-VALUE}).")
  private OnStoreFailure onStoreFailure = OnStoreFailure.DENY;

  @Option(
      names = "--require-store",
      description = "Exit with 2 if the store is out of reach at the start.")
  private boolean requireStore;

  @Option(
      names = "--drain-delay",
      paramLabel = "TIME",
      defaultValue = "2s",
      converter = DurationOption.class,
      description = {
        "After SIGTERM /readyz says draining at once, and it goes on serving",
        "for so long, until load balancers have heard (default: ${DEFAULT-VALUE})."
      })
  private Duration drainDelay = Duration.ZERO;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "Certificate chain in PEM: the port then speaks TLS only.")
  private @Nullable Path tlsCertificate;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "Its private key in PEM.")
  private @Nullable Path tlsKey;

  @CommandLine.Spec
  private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    SluiceServer server;
    try {
      server = SluiceServer.start(options());
    } catch (StartupException wrong) {
      err.println("sluice serve: " + oneLine(String.valueOf(wrong.getMessage())));
      err.flush();
      return SluiceCommand.ERROR;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> drain(server), "sluice-drain"));
    out.println(server.readyLine());
    out.flush();
    // Only a signal ends this: the hook does the rest.
    new CountDownLatch(1).await();
    return 0;
  }

  /** A file may have many problems: the first tells that it is wrong, validate tells them all. */
  private static String oneLine(String message) {
    List<String> problems = message.lines().toList();
    int more = problems.size() - 1;
    return problems.get(0) + (more == 0 ? "" : "; %d more, see sluice validate".formatted(more));
  }

  private ServerOptions options() {
    return new ServerOptions()
        .config(config)
        .store(store)
        .httpPort(httpPort)
        .respPort(respPort)
        .envoyConfig(envoyConfig)
        .onStoreFailure(onStoreFailure)
        .bind(bind)
        .adminToken(adminToken)
        .storeDeadline(storeDeadline)
        .requireStore(requireStore)
        .drainDelay(drainDelay)
        .tls(tlsCertificate, tlsKey);
  }

  /** A JVM that a signal ends exits with 128 and more; one that was told to stop has done well. */
  private static void drain(SluiceServer server) {
    server.close();
    Runtime.getRuntime().halt(0);
  }
}

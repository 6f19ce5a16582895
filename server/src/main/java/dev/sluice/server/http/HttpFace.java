package dev.sluice.server.http;

import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.common.TlsKeyPair;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import dev.sluice.Sluice;
import dev.sluice.server.Face;
import dev.sluice.server.ServerContext;
import dev.sluice.server.ServerOptions;
import dev.sluice.server.StartupException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The HTTP port: limits on what a caller may send and how long, and the routes behind them. */
public final class HttpFace implements Face {
  private static final int MOST_CONNECTIONS = 10_000;
  private static final Duration IDLE = Duration.ofSeconds(60);
  // From the end of the headers: a store's deadline is far below.
  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(5);
  // From the first byte to the first byte of the answer.
  private static final Duration LONGEST_SILENCE = Duration.ofSeconds(6);
  // From the last answer until nobody listens any more.
  private static final Duration LONGEST_GOODBYE = Duration.ofSeconds(1);
  private static final Pattern ABSOLUTE =
      Pattern.compile("https?://[^/?#]+(.*)", Pattern.CASE_INSENSITIVE);
  private static final Duration QUIET = Duration.ofSeconds(1);
  private static final Duration LONGEST_DRAIN = Duration.ofSeconds(10);

  private final Server server;
  private final Connections connections;

  private HttpFace(Server server, Connections connections) {
    this.server = server;
    this.connections = connections;
  }

  /** Starts to answer, also what {@code more} adds. */
  public static HttpFace start(
      ServerContext context, InetSocketAddress address, Consumer<ServerBuilder> more) {
    ServerBuilder builder = Server.builder();
    Connections connections = new Connections(context.readiness());
    limits(builder);
    connections.attach(builder);
    builder.childChannelPipelineCustomizer(
        pipeline -> pipeline.addFirst(new LastAnswer(LONGEST_GOODBYE)));
    if (context.tls()) {
      builder.port(address, SessionProtocol.HTTPS).tls(keyPair(context.options()));
    } else {
      builder
          .port(address, SessionProtocol.HTTP)
          .childChannelPipelineCustomizer(
              pipeline -> pipeline.addFirst(new SlowRequests(LONGEST_SILENCE, IDLE)));
    }
    more.accept(builder);
    Routes routes = routes(context, connections);
    builder.serviceUnder("/", routes).errorHandler(new HttpProblems(routes));
    Server server = builder.build();
    try {
      server.start().join();
      return new HttpFace(server, connections);
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof IOException cannotBind) {
        throw new StartupException(
            "http port %d: cannot listen on %s: %s"
                .formatted(address.getPort(), context.options().bind(), reason(cannotBind)),
            cannotBind);
      }
      throw failed;
    }
  }

  private static TlsKeyPair keyPair(ServerOptions options) {
    Path certificate = options.tlsCertificate().orElseThrow();
    Path key = options.tlsKey().orElseThrow();
    try {
      return TlsKeyPair.of(key.toFile(), certificate.toFile());
    } catch (IllegalArgumentException unreadable) {
      throw new StartupException(
          "--tls-cert '%s' and --tls-key '%s': must be a certificate chain and its key in PEM"
              .formatted(certificate, key),
          unreadable);
    }
  }

  private static String reason(IOException cannotBind) {
    String message = String.valueOf(cannotBind.getMessage());
    return message.contains("in use") ? "already in use" : message;
  }

  private static void limits(ServerBuilder builder) {
    builder
        .disableServerHeader()
        .absoluteUriTransformer(HttpFace::withoutHost)
        .maxRequestLength(HttpProblems.LARGEST_BODY)
        .http1MaxInitialLineLength(HttpProblems.LARGEST_HEADERS)
        .http1MaxHeaderSize(HttpProblems.LARGEST_HEADERS)
        .http2MaxHeaderListSize(HttpProblems.LARGEST_HEADERS)
        .maxNumConnections(MOST_CONNECTIONS)
        .idleTimeout(IDLE)
        .requestTimeout(LONGEST_REQUEST)
        // What they report are mistakes of callers, who are told; what is our own is logged anyway.
        .unloggedExceptionsReportInterval(Duration.ZERO)
        .bossGroupFactory(Acceptor::new)
        .gracefulShutdownTimeout(QUIET, LONGEST_DRAIN);
  }

  /** {@code /path} of {@code http://host/path}, as RFC 9112 has it (3.2.2); all else as it is. */
  private static String withoutHost(String uri) {
    Matcher absolute = ABSOLUTE.matcher(uri);
    if (!absolute.matches()) {
      return uri;
    }
    String path = absolute.group(1);
    return path.startsWith("/") ? path : "/" + path;
  }

  private static Routes routes(ServerContext context, Connections connections) {
    Sluice sluice = context.sluice();
    Admin admin = new Admin(context);
    Routes routes = new Routes(connections);
    new CheckRoutes(sluice).attach(routes);
    new BatchRoutes(sluice).attach(routes);
    new LeaseRoutes(sluice).attach(routes);
    new ReservationRoutes(sluice).attach(routes);
    new KeyRoutes(sluice, admin).attach(routes);
    new OperatorRoutes(context, admin).attach(routes);
    new DashboardRoutes(context, admin).attach(routes);
    return routes;
  }

  @Override
  public String name() {
    return "http";
  }

  @Override
  public int port() {
    return server.activeLocalPort();
  }

  @Override
  public void close() {
    connections.leave(LONGEST_DRAIN);
    server.stop().join();
  }
}

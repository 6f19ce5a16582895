package dev.sluice.server.envoy;

import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import dev.sluice.OnStoreFailure;
import dev.sluice.Sluice;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Envoy's face alone on a free port, and a client that asks it. */
final class EnvoyServer implements AutoCloseable {
  private final Server server;
  private final EnvoyClient client;

  EnvoyServer(Path rules, Sluice sluice, OnStoreFailure onStoreFailure) {
    EnvoyOptions options = new EnvoyOptions(rules, onStoreFailure, Duration.ofMillis(20));
    ServerBuilder builder =
        Server.builder().http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    new EnvoyFace(sluice, options, loaded -> {}).attach(builder);
    server = builder.build();
    server.start().join();
    client = new EnvoyClient(server.activeLocalPort());
  }

  EnvoyClient client() {
    return client;
  }

  /** Begins to stop the server, which takes its time. */
  @Override
  public void close() {
    client.close();
    CompletableFuture<Void> unused = server.stop();
  }
}

package dev.sluice.server.http;

import dev.sluice.server.ServerOptions;
import dev.sluice.server.SluiceServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A server on a free port, and a client that knows nothing of it but the port. */
public final class Caller implements AutoCloseable {
  public static final String TOKEN = "test-token";

  private final SluiceServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Caller(SluiceServer server) {
    this.server = server;
  }

  public static Caller of(ServerOptions options) {
    return new Caller(SluiceServer.start(options.httpPort(0)));
  }

  /** A server with these policies, and an admin token. */
  public static Caller with(Path directory, String policies) {
    Path file = directory.resolve("policies.yml");
    write(file, policies);
    return of(new ServerOptions().config(file).adminToken(TOKEN));
  }

  public static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  public SluiceServer server() {
    return server;
  }

  public int port() {
    return server.httpPort();
  }

  public HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .timeout(Duration.ofSeconds(20));
  }

  public HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  public HttpResponse<String> get(String path) {
    return send(request(path).GET());
  }

  public HttpResponse<String> post(String path, String json) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  public HttpResponse<String> delete(String path) {
    return send(request(path).DELETE());
  }

  public HttpResponse<String> admin(HttpRequest.Builder request) {
    return send(request.header("Authorization", "Bearer " + TOKEN));
  }

  /** Begins to close the server, which takes its time for connections to go quiet. */
  @Override
  public void close() {
    Thread closing = new Thread(server::close, "closing");
    closing.setDaemon(true);
    closing.start();
  }
}

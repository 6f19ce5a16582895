package dev.sluice.cli;

import dev.sluice.cli.replay.JsonTree;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The server that a command asks. */
final class ServerOption {
  private static final Duration LONGEST = Duration.ofSeconds(10);

  @Option(
      names = "--server",
      paramLabel = "URL",
      defaultValue = "http://localhost:8080",
      description = "The server to ask (default: ${DEFAULT-VALUE}).")
  private String server = "";

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      description = "The server's admin token, where it asks for one.")
  private @Nullable String token;

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(LONGEST).build();

  HttpResponse<String> get(String path) throws CommandException {
    return send(request(path).GET());
  }

  HttpResponse<String> post(String path, String json) throws CommandException {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  private HttpRequest.Builder request(String path) throws CommandException {
    HttpRequest.Builder request;
    try {
      URI base = URI.create(server.endsWith("/") ? server : server + "/");
      request = HttpRequest.newBuilder(base.resolve(path)).timeout(LONGEST);
    } catch (IllegalArgumentException wrong) {
      throw new CommandException(
          "--server '%s': must be a URL such as http://localhost:8080".formatted(server));
    }
    try {
      return token == null ? request : request.header("Authorization", "Bearer " + token);
    } catch (IllegalArgumentException wrong) {
      throw new CommandException("--admin-token: must be one line of printable characters");
    }
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws CommandException {
    try {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException unreachable) {
      String why = unreachable.getMessage();
      throw new CommandException(
          "no answer from %s%s".formatted(server, why == null ? "" : ": " + why));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted");
    }
  }

  /**
   * The answer as an object.
   *
   * @throws CommandException if it is none: whatever answers there is no server of ours
   */
  static Map<String, @Nullable Object> object(HttpResponse<String> response)
      throws CommandException {
    try {
      return JsonTree.object(response.body());
    } catch (IllegalArgumentException notOurs) {
      throw stranger(response);
    }
  }

  /** For an answer that a server of ours would not give: a proxy's page, another service's JSON. */
  static CommandException stranger(HttpResponse<String> response) {
    return new CommandException(
        "%s: not a sluice server: HTTP status %d without an answer of one"
            .formatted(response.uri(), response.statusCode()));
  }

  /** What went wrong, in the server's own words where it has some. */
  static String problem(HttpResponse<String> response) throws CommandException {
    if (object(response).get("detail") instanceof String detail) {
      return TopCommand.printable(detail);
    }
    throw stranger(response);
  }
}

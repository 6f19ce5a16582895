package dev.sluice.cli;

import dev.sluice.server.ServerOptions;
import dev.sluice.server.SluiceServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * {@code sluice warm-up}: serves one request and ends, so that the JVM can keep the classes that
 * took. For the script that builds the jar.
 */
@Command(name = "warm-up", hidden = true, description = "Serve one request and end.")
final class WarmUpCommand implements Callable<Integer> {
  @Override
  public Integer call() throws IOException, InterruptedException {
    try (SluiceServer server = SluiceServer.start(new ServerOptions().httpPort(0))) {
      URI check = URI.create("http://127.0.0.1:%d/v1/check/demo/k".formatted(server.httpPort()));
      HttpResponse<String> answer =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(check).build(), HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? 0 : SluiceCommand.ERROR;
    }
  }
}

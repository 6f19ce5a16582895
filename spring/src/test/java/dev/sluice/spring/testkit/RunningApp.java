package dev.sluice.spring.testkit;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** A Boot application on a free port of this machine, with a real server, and a client for it. */
public final class RunningApp implements AutoCloseable {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final ConfigurableApplicationContext context;

  private RunningApp(ConfigurableApplicationContext context) {
    this.context = context;
  }

  /** Starts an application with these properties, each as {@code name=value}. */
  public static RunningApp start(WebApplicationType type, Class<?> app, String... properties) {
    String[] arguments =
        Stream.concat(
                Stream.of(
                    "server.port=0", "server.address=127.0.0.1", "spring.main.banner-mode=off"),
                Arrays.stream(properties))
            .map(property -> "--" + property)
            .toArray(String[]::new);
    return new RunningApp(new SpringApplicationBuilder(app).web(type).run(arguments));
  }

  public ConfigurableApplicationContext context() {
    return context;
  }

  public <T> T bean(Class<T> type) {
    return context.getBean(type);
  }

  public int port() {
    return Integer.parseInt(context.getEnvironment().getRequiredProperty("local.server.port"));
  }

  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  /** Asks, with header names and values in turn. */
  public HttpResponse<String> get(String path, String... headers) {
    return send("GET", path, headers);
  }

  /** Asks with another method. */
  public HttpResponse<String> send(String method, String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path))
            // Reactor Netty 1.3.7 may never read a connection again (docs/spring.md).
            .header("Connection", "close")
            .timeout(Duration.ofMinutes(1))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (headers.length > 0) {
      request.headers(headers);
    }
    try {
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    context.close();
  }
}

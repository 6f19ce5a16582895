package dev.sluice.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Programs beside this one: servers that print their ports, and clients that print their speed. */
final class Program {
  private Program() {}

  /** A server in a JVM of its own; ends with it. */
  record Ports(Process process, int http, int resp) implements AutoCloseable {
    @Override
    public void close() {
      process.destroy();
    }
  }

  static Ports server(Class<?> main, Object... args) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xms256m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    for (Object arg : args) {
      command.add(arg.toString());
    }
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
    String line = out.readLine();
    if (line == null) {
      throw new IllegalStateException(main.getSimpleName() + " ended before it was ready");
    }
    String[] ports = line.split(" ");
    return new Ports(process, Integer.parseInt(ports[0]), Integer.parseInt(ports[1]));
  }

  /** Requests a second, as a client's output tells them in the pattern's first group. */
  static double perSecond(Pattern speed, List<String> command) throws IOException {
    Process process = client(command);
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    Matcher found = speed.matcher(out);
    if (!found.find()) {
      throw new IllegalStateException(String.join(" ", command) + " printed\n" + out);
    }
    return Double.parseDouble(found.group(1));
  }

  private static Process client(List<String> command) {
    try {
      return new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException missing) {
      throw new IllegalStateException(
          "%s must be installed (Debian: nghttp2-client has h2load, redis-tools redis-benchmark)"
              .formatted(command.get(0)),
          missing);
    }
  }
}

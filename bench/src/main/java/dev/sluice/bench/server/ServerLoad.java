package dev.sluice.bench.server;

import dev.sluice.bench.redis.Options;
import dev.sluice.redis.testkit.RedisServer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The server's three protocols, each beside a floor: the same library answering a constant, and for
 * RESP also redis-server's SET. Servers and clients are processes of their own; floor and Sluice
 * alternate, and of all rounds the median counts. Needs h2load (Debian: nghttp2-client) and
 * redis-benchmark (redis-tools).
 */
public final class ServerLoad {
  // Only if every answer was a success.
  private static final Pattern H2LOAD =
      Pattern.compile(
          "finished in .*?, ([\\d.]+) req/s(?s:.*) 0 failed, 0 errored(?s:.*) 0 3xx, 0 4xx, 0 5xx");
  private static final Pattern REDIS_BENCHMARK = Pattern.compile("\n\"[^\n]*?\",\"([\\d.]+)\"");
  private static final int WARM_UP = 6;

  private final int rounds;
  private final int seconds;
  private final List<String> only;
  private final Path grpcMessage;

  private ServerLoad(Options options, Path grpcMessage) {
    this.rounds = options.number("rounds", 5);
    this.seconds = options.number("seconds", 4);
    this.only = options.list("only", List.of("HTTP", "gRPC", "RESP"));
    this.grpcMessage = grpcMessage;
  }

  /**
   * Arguments, each optional: {@code rounds=5}, {@code seconds=4}, {@code only=HTTP}, {@code
   * server=redis-server} for another than the one that comes with the build.
   */
  public static void main(String[] args) throws Exception {
    Options options = Options.of(args);
    byte[] message = Questions.grpcMessage();
    // gRPC's frame: not compressed, the length, the message.
    byte[] frame =
        ByteBuffer.allocate(5 + message.length)
            .put((byte) 0)
            .putInt(message.length)
            .put(message)
            .array();
    Path file = Files.write(Files.createTempFile("sluice-bench", ".grpc"), frame);
    ServerLoad load = new ServerLoad(options, file);
    try (Program.Ports sluice = Program.server(SluiceProcess.class);
        Program.Ports constant = Program.server(ConstantProcess.class, sluice.http());
        RedisServer redis = RedisServer.on(options.server()).start()) {
      load.run(sluice, constant, redis.port());
    } finally {
      Files.delete(file);
    }
  }

  private interface Client {
    double perSecond() throws IOException;
  }

  private void run(Program.Ports sluice, Program.Ports constant, int redis) throws IOException {
    Map<String, Client> subjects = new LinkedHashMap<>();
    subjects.put("HTTP, constant", () -> http(constant.http()));
    subjects.put("HTTP, Sluice", () -> http(sluice.http()));
    subjects.put("gRPC, constant", () -> grpc(constant.http()));
    subjects.put("gRPC, Sluice", () -> grpc(sluice.http()));
    for (int pipeline : new int[] {1, 16}) {
      String name = "RESP -P %d, ".formatted(pipeline);
      subjects.put(name + "constant", () -> throttle(constant.resp(), pipeline));
      subjects.put(name + "Sluice", () -> throttle(sluice.resp(), pipeline));
      subjects.put(name + "redis-server SET", () -> redis(redis, pipeline, "SET", "alice", "x"));
    }
    subjects.keySet().removeIf(name -> only.stream().noneMatch(name::startsWith));
    Map<String, List<Double>> figures = new LinkedHashMap<>();
    for (int round = -WARM_UP; round < rounds; round++) {
      for (Map.Entry<String, Client> subject : subjects.entrySet()) {
        double perSecond = subject.getValue().perSecond();
        if (round >= 0) {
          figures.computeIfAbsent(subject.getKey(), name -> new ArrayList<>()).add(perSecond);
        }
      }
    }
    print(figures);
  }

  /** Of each round the ratio to its first subject, the floor; of the rounds the median. */
  private static void print(Map<String, List<Double>> figures) {
    System.out.println("| | a second | of the constant |\n|---|---|---|");
    List<Double> floor = List.of();
    for (Map.Entry<String, List<Double>> subject : figures.entrySet()) {
      List<Double> each = subject.getValue();
      floor = subject.getKey().endsWith("constant") ? each : floor;
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < each.size(); i++) {
        ratios.add(each.get(i) / floor.get(i));
      }
      System.out.printf(
          Locale.ROOT, "| %s | %.0f | %.2f |%n", subject.getKey(), median(each), median(ratios));
    }
  }

  private static double median(List<Double> values) {
    return values.stream().sorted().skip(values.size() / 2).findFirst().orElseThrow();
  }

  private double http(int port) throws IOException {
    return h2load("--h1", "-c", "32", "http://127.0.0.1:" + port + Questions.HTTP_PATH);
  }

  private double grpc(int port) throws IOException {
    return h2load(
        "-c",
        "4",
        "-m",
        "16",
        "-d",
        grpcMessage.toString(),
        "-H",
        "content-type: application/grpc",
        "-H",
        "te: trailers",
        "http://127.0.0.1:" + port + Questions.GRPC_PATH);
  }

  private double h2load(String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of("h2load", "-D", String.valueOf(seconds)));
    command.addAll(List.of(args));
    return Program.perSecond(H2LOAD, command);
  }

  private double throttle(int port, int pipeline) throws IOException {
    return redis(port, pipeline, "CL.THROTTLE", "alice", "1000000000", "1000000000", "1");
  }

  private double redis(int port, int pipeline, String... request) throws IOException {
    long requests = seconds * (pipeline == 1 ? 40_000L : 400_000L);
    List<String> command =
        new ArrayList<>(
            List.of(
                "redis-benchmark",
                "--csv",
                "-p",
                String.valueOf(port),
                "-P",
                String.valueOf(pipeline),
                "-n",
                String.valueOf(requests)));
    command.addAll(List.of(request));
    return Program.perSecond(REDIS_BENCHMARK, command);
  }
}

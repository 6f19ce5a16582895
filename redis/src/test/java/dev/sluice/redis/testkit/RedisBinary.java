package dev.sluice.redis.testkit;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server program that the tests run on.
 *
 * <p>Two come with the build as Maven artifacts, so that {@code mvn verify} needs nothing
 * installed; each is unpacked once a JVM. A bundled one that is missing is an error, never a reason
 * to skip.
 *
 * @param kind {@code redis} or {@code valkey}
 * @param version as the program itself tells it, for example {@code 7.0.15}
 * @param supportsTls whether it was built with TLS and so knows {@code tls-port}
 */
public record RedisBinary(String kind, String version, Path path, boolean supportsTls) {
  private static final Pattern VERSION =
      Pattern.compile("(Redis|Valkey) server v=(\\d+(?:\\.\\d+)+)");

  private static final String PLATFORM = platform();

  // The names inside com.github.codemonstur:embedded-redis:1.4.3 differ by platform; "6.2.6-v5" is
  // Redis Stack's number, that program calls itself 6.2.11.
  private static final Map<String, String> REDIS_6_NAMES =
      Map.of(
          "linux-amd64", "redis-server-6.2.6-v5-linux-amd64",
          "linux-arm64", "redis-server-6.2.7-linux-arm64",
          "linux-386", "redis-server-6.2.7-linux-386",
          "darwin-amd64", "redis-server-6.2.6-v5-darwin-amd64",
          "darwin-arm64", "redis-server-6.2.6-v5-darwin-arm64");

  /** The 7.0.15 of {@code org.signal:embedded-redis}, the server most tests use. */
  public static RedisBinary bundled() {
    return Bundled.REDIS_7;
  }

  /** The 6.2 of {@code com.github.codemonstur:embedded-redis}, the oldest server we support. */
  public static RedisBinary oldest() {
    return Bundled.REDIS_6;
  }

  /**
   * The two bundled servers, then each other {@code redis-server} and {@code valkey-server} on the
   * PATH; links to one file count once.
   */
  public static List<RedisBinary> all() {
    return All.BINARIES;
  }

  /** Whether the version is at least the given one; Valkey counts on from Redis 7.2. */
  public boolean isAtLeast(int major, int minor) {
    String[] parts = version.split("\\.", -1);
    int ownMajor = Integer.parseInt(parts[0]);
    return ownMajor > major || (ownMajor == major && Integer.parseInt(parts[1]) >= minor);
  }

  /** Reads well as the name of a parameterized test: {@code redis 7.0.15}. */
  @Override
  public String toString() {
    return kind + " " + version;
  }

  static List<RedisBinary> onPath(String searchPath) {
    // Run by the name found, not by the file it leads to: Debian's redis-server is a link to
    // redis-check-rdb, a program that looks at its name to know which of the two it is to be.
    Map<Path, Path> nameByFile = new LinkedHashMap<>();
    for (String directory : searchPath.split(Pattern.quote(File.pathSeparator), -1)) {
      for (String name : List.of("redis-server", "valkey-server")) {
        Path found = Path.of(directory, name).toAbsolutePath();
        if (Files.isRegularFile(found) && Files.isExecutable(found)) {
          nameByFile.putIfAbsent(realPath(found), found);
        }
      }
    }
    return nameByFile.values().stream().map(RedisBinary::at).toList();
  }

  /** The server of that file, which is asked for its version. */
  public static RedisBinary at(Path file) {
    String text = outputOf(file, "--version");
    Matcher matcher = VERSION.matcher(text);
    if (!matcher.find()) {
      throw new IllegalStateException(
          "server '%s': --version must tell a Redis or Valkey version, got: %s"
              .formatted(file, text));
    }
    String kind = matcher.group(1).toLowerCase(Locale.ROOT);
    return new RedisBinary(kind, matcher.group(2), file, knowsTls(file));
  }

  /**
   * Asks with a configuration that is wrong in its second line: a server refuses the first line it
   * does not know, so the one it names tells whether it knew {@code tls-port}, and none starts.
   */
  private static boolean knowsTls(Path file) {
    return outputOf(file, "--tls-port", "0", "--sluice-probe", "yes").contains("sluice-probe");
  }

  private static String outputOf(Path file, String... arguments) {
    List<String> command = new ArrayList<>(List.of(file.toString()));
    command.addAll(List.of(arguments));
    try {
      Process process = Leftovers.start(new ProcessBuilder(command).redirectErrorStream(true));
      process.getOutputStream().close();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("server '%s': cannot be run".formatted(file), e);
    }
  }

  private static Path realPath(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException("server '%s': cannot be resolved".formatted(file), e);
    }
  }

  static RedisBinary unpack(String resource, String artifact) {
    try (InputStream in = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(
            "server '%s': must be on the class path, got nothing; add %s to the test dependencies"
                .formatted(resource, artifact));
      }
      Path file = Leftovers.directory("binary-").resolve("redis-server");
      Files.copy(in, file);
      if (!file.toFile().setExecutable(true)) {
        throw new IllegalStateException("server '%s': cannot be made executable".formatted(file));
      }
      return at(file);
    } catch (IOException e) {
      throw new UncheckedIOException("server '%s': cannot be unpacked".formatted(resource), e);
    }
  }

  private static String platform() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String osName = os.startsWith("mac") ? "darwin" : os;
    return switch (arch) {
      case "amd64", "x86_64" -> osName + "-amd64";
      case "aarch64", "arm64" -> osName + "-arm64";
      case "x86", "i386", "i686" -> osName + "-386";
      default -> osName + "-" + arch;
    };
  }

  private static final class Bundled {
    static final RedisBinary REDIS_7 =
        unpack("redis-server-7.0.15-" + PLATFORM, "org.signal:embedded-redis:0.9.1");
    static final RedisBinary REDIS_6 =
        unpack(
            REDIS_6_NAMES.getOrDefault(PLATFORM, "redis-server-6.2-" + PLATFORM),
            "com.github.codemonstur:embedded-redis:1.4.3");
  }

  private static final class All {
    static final List<RedisBinary> BINARIES = find();

    private static List<RedisBinary> find() {
      List<RedisBinary> binaries = new ArrayList<>(List.of(bundled(), oldest()));
      String searchPath = System.getenv("PATH");
      binaries.addAll(onPath(searchPath == null ? "" : searchPath));
      return List.copyOf(binaries);
    }
  }
}

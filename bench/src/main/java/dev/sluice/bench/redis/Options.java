package dev.sluice.bench.redis;

import dev.sluice.redis.testkit.RedisBinary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Arguments of the form {@code name=value}. */
public record Options(Map<String, String> values) {
  public static Options of(String... args) {
    Map<String, String> values = new HashMap<>();
    for (String arg : args) {
      int equals = arg.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("argument '%s': must be name=value".formatted(arg));
      }
      values.put(arg.substring(0, equals), arg.substring(equals + 1));
    }
    return new Options(values);
  }

  public int number(String name, int otherwise) {
    String value = values.get(name);
    return value == null ? otherwise : Integer.parseInt(value);
  }

  public List<String> list(String name, List<String> otherwise) {
    String value = values.get(name);
    return value == null ? otherwise : List.of(value.split(",", -1));
  }

  public void write(String name, String text) throws IOException {
    String file = values.get(name);
    if (file != null) {
      Files.writeString(Path.of(file), text);
    }
  }

  /** The program to run as {@code server=FILE} names it, else the one that comes with the build. */
  public RedisBinary server() {
    String file = values.get("server");
    return file == null ? RedisBinary.bundled() : RedisBinary.at(Path.of(file));
  }
}

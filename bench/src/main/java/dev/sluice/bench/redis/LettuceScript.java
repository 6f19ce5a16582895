package dev.sluice.bench.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/** A limiter that is one script: EVALSHA by Lettuce. The first number of its reply is 1 if granted. */
final class LettuceScript implements Subject {
  private final StatefulRedisConnection<String, String> connection;
  private final String sha;
  private final String prefix;
  private final String[] args;
  private final AtomicLong number = new AtomicLong();

  /** The file of that name; its arguments, and after them a number that no other request has. */
  LettuceScript(RedisClient client, String file, String... args) {
    this.connection = client.connect();
    this.sha = connection.sync().scriptLoad(read(file));
    this.prefix = file + ":";
    this.args = args;
  }

  private static String read(String file) {
    try (InputStream in = LettuceScript.class.getResourceAsStream(file + ".lua")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String[] args() {
    String[] all = java.util.Arrays.copyOf(args, args.length + 1);
    all[args.length] = Long.toString(number.incrementAndGet());
    return all;
  }

  @Override
  public boolean ask(String key) {
    String[] keys = {prefix + key};
    return granted(connection.sync().evalsha(sha, ScriptOutputType.MULTI, keys, args()));
  }

  @Override
  public CompletionStage<Boolean> askAsync(String key) {
    String[] keys = {prefix + key};
    return connection
        .async()
        .<List<Object>>evalsha(sha, ScriptOutputType.MULTI, keys, args())
        .thenApply(LettuceScript::granted);
  }

  private static boolean granted(List<Object> reply) {
    return reply.get(0).equals(1L);
  }

  @Override
  public void close() {
    connection.close();
  }
}

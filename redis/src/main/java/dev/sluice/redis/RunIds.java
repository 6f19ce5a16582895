package dev.sluice.redis;

import dev.sluice.redis.RedisAddress.Node;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices when a primary of a cluster answers as another process than before: it was restarted, and
 * may have forgotten what was used. A node that is a primary no more is forgotten, for what it does
 * not have then, its successor has.
 */
final class RunIds {
  private static final String LINE = "run_id:";

  private final Map<Node, String> known = new ConcurrentHashMap<>();
  private final Consumer<Node> onChange;

  RunIds(Consumer<Node> onChange) {
    this.onChange = onChange;
  }

  /** Asks a node that was just connected to. A user who may not ask is warned of at the start. */
  void look(Node node, Link link) {
    CompletableFuture<?> unused =
        link.command("INFO", "server")
            .thenAccept(
                reply -> {
                  String id = in(reply);
                  String before = id == null ? null : known.put(node, id);
                  if (before != null && !before.equals(id)) {
                    onChange.accept(node);
                  }
                });
  }

  private static @Nullable String in(List<Object> reply) {
    return !reply.isEmpty() && reply.get(0) instanceof byte[] info
        ? new String(info, StandardCharsets.UTF_8)
            .lines()
            .filter(line -> line.startsWith(LINE))
            .map(line -> line.substring(LINE.length()).strip())
            .findFirst()
            .orElse(null)
        : null;
  }

  void forget(Node node) {
    known.remove(node);
  }
}

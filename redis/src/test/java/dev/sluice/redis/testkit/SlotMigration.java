package dev.sluice.redis.testkit;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A slot on its way from one primary to another, stoppable between any two keys.
 *
 * <p>Until {@link #finish()} the source answers {@code ASK} for keys that are gone, and both answer
 * {@code TRYAGAIN} to a command whose keys are divided.
 */
public final class SlotMigration {
  private final String slot;
  private final RedisServer source;
  private final RedisServer target;
  private final List<RedisServer> primaries;

  SlotMigration(int slot, RedisServer source, RedisServer target, List<RedisServer> primaries) {
    if (source.equals(target)) {
      throw new IllegalArgumentException(
          "slot %d: must move to another primary, got %s which has it".formatted(slot, target));
    }
    this.slot = Integer.toString(slot);
    this.source = source;
    this.target = target;
    this.primaries = primaries;
    target.command("CLUSTER", "SETSLOT", this.slot, "IMPORTING", RedisCluster.idOf(source));
    source.command("CLUSTER", "SETSLOT", this.slot, "MIGRATING", RedisCluster.idOf(target));
  }

  /**
   * Moves some keys of the slot, whatever bytes they are made of.
   *
   * @return how many; 0 when the slot is empty
   */
  public int moveKeys(int atMost) {
    try (Resp resp = source.connect(StandardCharsets.ISO_8859_1)) {
      String count = Integer.toString(atMost);
      List<Object> keys = Resp.asList(resp.command("CLUSTER", "GETKEYSINSLOT", slot, count));
      if (!keys.isEmpty()) {
        resp.command(migrateCommand(keys));
      }
      return keys.size();
    }
  }

  /** Moves keys until the slot is empty; clients that write meanwhile are redirected. */
  public void moveAllKeys() {
    int moved;
    do {
      moved = moveKeys(100);
    } while (moved > 0);
  }

  /** Makes the target the owner of the slot and tells all primaries. */
  public void finish() {
    // Target first, source second: in this order no moment leaves the slot without an owner.
    List<RedisServer> order = new ArrayList<>(List.of(target, source));
    primaries.stream().filter(node -> !order.contains(node)).forEach(order::add);
    String id = RedisCluster.idOf(target);
    order.forEach(node -> node.command("CLUSTER", "SETSLOT", slot, "NODE", id));
  }

  private String[] migrateCommand(List<Object> keys) {
    List<String> words = new ArrayList<>();
    String port = Integer.toString(target.port());
    words.addAll(List.of("MIGRATE", "127.0.0.1", port, "", "0", "5000"));
    List<String> login = target.credentials();
    if (!login.isEmpty()) {
      words.add(login.size() == 1 ? "AUTH" : "AUTH2");
      words.addAll(login);
    }
    words.add("KEYS");
    keys.forEach(key -> words.add(key.toString()));
    return words.toArray(String[]::new);
  }
}

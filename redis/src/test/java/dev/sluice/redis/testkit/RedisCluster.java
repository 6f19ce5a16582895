package dev.sluice.redis.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A cluster of six real processes: three primaries with a third of the slots each, three replicas.
 *
 * <p>Ready in about three seconds. A failover takes three to five, of which two are {@code
 * cluster-node-timeout}. Safe for use by several threads.
 */
public final class RedisCluster implements AutoCloseable {
  /** The number of hash slots of every Redis Cluster. */
  public static final int SLOTS = 16_384;

  private static final int PRIMARIES = 3;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final List<RedisServer> nodes = new ArrayList<>();

  private RedisCluster() {}

  /** Starts a cluster and waits until all six nodes call it complete. */
  public static RedisCluster start(RedisBinary binary) {
    return start(binary, config -> config);
  }

  /**
   * Starts a cluster whose nodes are configured alike.
   *
   * @param nodeConfig adds lines to each node, {@code cluster-require-full-coverage no} for
   *     example, a password or TLS
   */
  public static RedisCluster start(RedisBinary binary, UnaryOperator<ServerConfig> nodeConfig) {
    RedisCluster cluster = new RedisCluster();
    try {
      for (int i = 0; i < 2 * PRIMARIES; i++) {
        // From 7.0 on a replica is not listed before its first byte of replication, which in an
        // idle cluster is a ping that by default comes after ten seconds.
        ServerConfig config =
            RedisServer.on(binary)
                .line("cluster-enabled yes")
                .line("cluster-node-timeout 2000")
                .line("repl-ping-replica-period 1");
        cluster.nodes.add(nodeConfig.apply(config).start());
      }
      cluster.join();
      return cluster;
    } catch (RuntimeException | AssertionError failed) {
      cluster.close();
      throw failed;
    }
  }

  /** All six nodes, dead ones included; the first three began as primaries. */
  public List<RedisServer> nodes() {
    return List.copyOf(nodes);
  }

  /** All six nodes as one address: {@code redis-cluster://[:password@]127.0.0.1:port,…}. */
  public String uri() {
    return nodes.stream()
        .map(node -> "127.0.0.1:" + node.port())
        .collect(Collectors.joining(",", "redis-cluster://" + nodes.get(0).login(), ""));
  }

  /** The slot of a key, as a node computes it. */
  public int slotOf(String key) {
    return Math.toIntExact(Resp.asLong(running().get(0).command("CLUSTER", "KEYSLOT", key)));
  }

  /** The node that serves a key. */
  public RedisServer primaryOf(String key) {
    return primaryOf(slotOf(key));
  }

  /** The node that serves a slot, in the view of the first node that runs and knows one. */
  public RedisServer primaryOf(int slot) {
    return running().stream()
        .flatMap(node -> owners(node, slot).stream().limit(1))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("slot " + slot + ": nobody serves it"));
  }

  /** The current primaries, in the order of their slots. */
  public List<RedisServer> primaries() {
    return ranges(running().get(0)).stream()
        .sorted(Comparator.comparingLong(Range::first))
        .map(range -> range.servers().get(0))
        .distinct()
        .toList();
  }

  /** Kills the primary of a key with SIGKILL and returns it; no waiting for a new one. */
  public RedisServer killPrimary(String key) {
    RedisServer primary = primaryOf(key);
    primary.kill9();
    return primary;
  }

  /** Waits until all running nodes name one primary for the slot, and not the given one. */
  public RedisServer awaitNewPrimary(int slot, RedisServer old) {
    Await.until(
        LIMIT,
        () -> named(slot).size() == 1 && !named(slot).contains(old),
        () -> "slot " + slot + " has another primary than " + old + "\n" + logs());
    return primaryOf(slot);
  }

  /**
   * Waits until every running node says {@code cluster_state:ok}, sees each other running node
   * serve or replicate, and no replica is cut off from its primary.
   */
  public void awaitReady() {
    Await.until(
        LIMIT,
        () -> nodes.stream().allMatch(node -> !node.isRunning() || seesAll(node)),
        () -> "the cluster is complete\n" + logs());
  }

  /** The primaries of a slot in the views of all running nodes, each once. */
  private Set<RedisServer> named(int slot) {
    return running().stream()
        .flatMap(node -> owners(node, slot).stream().limit(1))
        .collect(Collectors.toSet());
  }

  /** The configuration epoch of each node, in the views of all running nodes, each view once. */
  private Set<Map<String, String>> epochs() {
    return running().stream()
        .map(node -> String.valueOf(node.command("CLUSTER", "NODES")))
        // Each line: id, address, flags, primary, ping sent, pong received, epoch, …
        .map(
            view ->
                view.lines()
                    .map(line -> line.split(" "))
                    .collect(Collectors.toMap(words -> words[0], words -> words[6])))
        .collect(Collectors.toSet());
  }

  /** Begins to move a slot to another primary while it is in use. */
  public SlotMigration startMigration(int slot, RedisServer target) {
    // After the slot moved, gossip that is under way can make a node believe in its former primary
    // for a moment, and that one cannot give it away. And a node that takes the slot back before it
    // has heard of the epoch in which it was taken takes no newer one: the next gossip of the
    // former
    // primary then wins, the keys are deleted, and each of the two names the other from then on.
    Await.until(
        LIMIT,
        () -> named(slot).size() == 1 && epochs().size() == 1,
        () ->
            "all nodes name one primary of slot %d, and one epoch of each%n%s"
                .formatted(slot, logs()));
    return new SlotMigration(slot, primaryOf(slot), target, primaries());
  }

  /** Moves a slot with all its keys to another primary while it is in use. */
  public void migrateSlot(int slot, RedisServer target) {
    SlotMigration migration = startMigration(slot, target);
    migration.moveAllKeys();
    migration.finish();
  }

  /** The end of each node's log, for the message of a failed test. */
  public String logs() {
    return nodes.stream()
        .map(node -> "--- " + node + "\n" + node.logs())
        .collect(Collectors.joining("\n"));
  }

  /** Kills all nodes and removes their files. */
  @Override
  public void close() {
    nodes.forEach(RedisServer::close);
  }

  private void join() {
    for (int i = 0; i < PRIMARIES; i++) {
      int first = SLOTS * i / PRIMARIES;
      int end = SLOTS * (i + 1) / PRIMARIES;
      // ADDSLOTSRANGE is of 7.0; this is the same in every version.
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      IntStream.range(first, end).mapToObj(Integer::toString).forEach(words::add);
      nodes.get(i).command(words.toArray(String[]::new));
    }
    for (RedisServer node : nodes) {
      // Epochs that differ from the start spare the nodes the time to settle them.
      int epoch = nodes.indexOf(node) + 1;
      node.command("CLUSTER", "SET-CONFIG-EPOCH", Integer.toString(epoch));
    }
    for (RedisServer node : nodes) {
      nodes.get(0).command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(node.port()));
    }
    Await.until(LIMIT, () -> nodes.stream().allMatch(this::knowsAll), "all nodes have met");
    for (int i = 0; i < PRIMARIES; i++) {
      nodes.get(PRIMARIES + i).command("CLUSTER", "REPLICATE", idOf(nodes.get(i)));
    }
    awaitReady();
  }

  private boolean knowsAll(RedisServer node) {
    String known = String.valueOf(node.command("CLUSTER", "NODES"));
    return known.lines().count() == nodes.size() && !known.contains("handshake");
  }

  private boolean seesAll(RedisServer node) {
    long alive = nodes.stream().filter(RedisServer::isRunning).count();
    return node.says("cluster_state:ok", "CLUSTER", "INFO")
        && node.says("cluster_known_nodes:" + nodes.size(), "CLUSTER", "INFO")
        && ranges(node).stream().flatMap(range -> range.servers().stream()).distinct().count()
            == alive
        && !node.says("master_link_status:down", "INFO", "replication");
  }

  private List<RedisServer> running() {
    return nodes.stream().filter(RedisServer::isRunning).toList();
  }

  /** The servers of a slot in the view of one node, its primary first. */
  private List<RedisServer> owners(RedisServer view, int slot) {
    return ranges(view).stream()
        .filter(range -> range.first() <= slot && slot <= range.last())
        .flatMap(range -> range.servers().stream())
        .toList();
  }

  private List<Range> ranges(RedisServer view) {
    return Resp.asList(view.command("CLUSTER", "SLOTS")).stream()
        .map(Resp::asList)
        .map(
            range ->
                new Range(
                    Resp.asLong(range.get(0)),
                    Resp.asLong(range.get(1)),
                    range.stream()
                        .skip(2)
                        .map(server -> byPort(Resp.asLong(Resp.asList(server).get(1))))
                        .toList()))
        .toList();
  }

  private RedisServer byPort(long port) {
    return nodes.stream()
        .filter(node -> node.port() == port)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("port " + port + ": not of this cluster"));
  }

  static String idOf(RedisServer node) {
    return String.valueOf(node.command("CLUSTER", "MYID"));
  }

  private record Range(long first, long last, List<RedisServer> servers) {}
}

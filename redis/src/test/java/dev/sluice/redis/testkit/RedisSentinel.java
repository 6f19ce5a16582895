package dev.sluice.redis.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One primary, two replicas and three sentinels, all real processes.
 *
 * <p>Ready in two to three seconds. A primary is called down after one second, two sentinels must
 * agree; a failover takes a bit more than two. Safe for use by several threads.
 */
public final class RedisSentinel implements AutoCloseable {
  /** The name under which the sentinels know the primary. */
  public static final String NAME = "main";

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final List<RedisServer> servers = new ArrayList<>();
  private final List<RedisServer> sentinels = new ArrayList<>();

  private RedisSentinel() {}

  /** Starts six processes and waits until every sentinel knows all the others. */
  public static RedisSentinel start(RedisBinary binary) {
    return start(binary, config -> config);
  }

  /**
   * Starts servers that are configured alike.
   *
   * @param serverConfig adds to the three data servers, {@code min-replicas-to-write 1} for
   *     example, or a password; not TLS and not ACL users, which the sentinels would not know
   */
  public static RedisSentinel start(RedisBinary binary, UnaryOperator<ServerConfig> serverConfig) {
    RedisSentinel rig = new RedisSentinel();
    try {
      RedisServer primary = serverConfig.apply(RedisServer.on(binary)).start();
      rig.servers.add(primary);
      for (int i = 0; i < 2; i++) {
        String replicaOf = "replicaof 127.0.0.1 " + primary.port();
        rig.servers.add(serverConfig.apply(RedisServer.on(binary)).line(replicaOf).start());
      }
      // A sentinel finds replicas when it asks the primary, at once and then every ten seconds.
      Await.until(LIMIT, () -> replicasLinked(primary, 2), () -> "replicas follow\n" + rig.logs());
      for (int i = 0; i < 3; i++) {
        rig.sentinels.add(sentinelOf(primary));
      }
      rig.awaitReady();
      return rig;
    } catch (RuntimeException | AssertionError failed) {
      rig.close();
      throw failed;
    }
  }

  private static RedisServer sentinelOf(RedisServer primary) {
    ServerConfig config =
        RedisServer.on(primary.binary())
            .sentinel()
            .line("sentinel monitor %s 127.0.0.1 %d 2".formatted(NAME, primary.port()))
            .line("sentinel down-after-milliseconds %s 1000".formatted(NAME))
            .line("sentinel failover-timeout %s 5000".formatted(NAME));
    for (String password : primary.credentials()) {
      config.line("sentinel auth-pass %s \"%s\"".formatted(NAME, password));
    }
    return config.start();
  }

  /** The three data servers, dead ones included; the first began as primary. */
  public List<RedisServer> servers() {
    return List.copyOf(servers);
  }

  /** The three sentinels, dead ones included. */
  public List<RedisServer> sentinels() {
    return List.copyOf(sentinels);
  }

  /** The sentinels as one address: {@code redis-sentinel://[:password@]127.0.0.1:port,…/main}. */
  public String uri() {
    return sentinels.stream()
        .map(sentinel -> "127.0.0.1:" + sentinel.port())
        .collect(Collectors.joining(",", "redis-sentinel://" + servers.get(0).login(), "/" + NAME));
  }

  /** The primary in the view of the first sentinel that runs. */
  public RedisServer primary() {
    return running()
        .findFirst()
        .map(this::primaryIn)
        .orElseThrow(() -> new IllegalStateException("sentinel: none of three runs"));
  }

  /**
   * Makes the sentinels promote a replica while the primary is well, and waits until it is done.
   *
   * @return the new primary
   */
  public RedisServer failover() {
    RedisServer old = primary();
    RedisServer sentinel = running().findFirst().orElseThrow();
    Await.until(LIMIT, () -> accepts(sentinel), () -> "a failover begins\n" + logs());
    return awaitNewPrimary(old);
  }

  /** Kills the primary with SIGKILL and returns it; no waiting for a new one. */
  public RedisServer killPrimary() {
    RedisServer primary = primary();
    primary.kill9();
    return primary;
  }

  /** Waits until all running sentinels name one primary, not the given one, which agrees. */
  public RedisServer awaitNewPrimary(RedisServer old) {
    Await.until(
        LIMIT,
        () -> {
          List<RedisServer> named = running().map(this::primaryIn).distinct().toList();
          return named.size() == 1
              && !named.contains(old)
              && named.get(0).says("role:master", "INFO", "replication");
        },
        () -> "there is another primary than " + old + "\n" + logs());
    return primary();
  }

  /**
   * Waits until each running sentinel sees a healthy primary, both replicas and both colleagues,
   * and both replicas are linked. After a failover that takes ten seconds more: so long do
   * sentinels leave a former primary alone before they make it a replica.
   */
  public void awaitReady() {
    Await.until(
        LIMIT,
        () -> running().allMatch(RedisSentinel::seesAll) && replicasLinked(primary(), 2),
        () -> "the sentinels know all servers\n" + logs());
  }

  /** The end of each process' log, for the message of a failed test. */
  public String logs() {
    return Stream.concat(servers.stream(), sentinels.stream())
        .map(server -> "--- " + server + "\n" + server.logs())
        .collect(Collectors.joining("\n"));
  }

  /** Kills all processes and removes their files. */
  @Override
  public void close() {
    // Sentinels first, or they would begin a failover among servers that are being closed.
    sentinels.forEach(RedisServer::close);
    servers.forEach(RedisServer::close);
  }

  private Stream<RedisServer> running() {
    return sentinels.stream().filter(RedisServer::isRunning);
  }

  private RedisServer primaryIn(RedisServer sentinel) {
    List<Object> address =
        Resp.asList(sentinel.command("SENTINEL", "get-master-addr-by-name", NAME));
    String port = address.get(1).toString();
    return servers.stream()
        .filter(server -> Integer.toString(server.port()).equals(port))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("port " + port + ": not of this rig"));
  }

  /** NOGOODSLAVE and INPROG say "not now": a replica's state is not fresh, or one is under way. */
  private static boolean accepts(RedisServer sentinel) {
    try {
      return "OK".equals(sentinel.command("SENTINEL", "FAILOVER", NAME));
    } catch (ErrorReplyException notNow) {
      if (notNow.code().equals("NOGOODSLAVE") || notNow.code().equals("INPROG")) {
        return false;
      }
      throw notNow;
    }
  }

  private static boolean replicasLinked(RedisServer primary, int count) {
    String info = String.valueOf(primary.command("INFO", "replication"));
    return info.lines().filter(line -> line.contains(",state=online,")).count() == count;
  }

  private static boolean seesAll(RedisServer sentinel) {
    List<Object> fields = Resp.asList(sentinel.command("SENTINEL", "MASTER", NAME));
    return field(fields, "flags").equals("master")
        && field(fields, "num-slaves").equals("2")
        && field(fields, "num-other-sentinels").equals("2");
  }

  private static Object field(List<Object> fields, String name) {
    return fields.get(fields.indexOf(name) + 1);
  }
}

package dev.sluice.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the server after connecting: what it is, whether it forgets, whether it lets us work.
 * Asks without blocking, and asks nothing that the least ACL does not allow, but for one CONFIG GET
 * that may be refused.
 */
final class StartupCheck {
  /** What was found. */
  record Findings(String server, String runId, List<String> warnings, List<String> problems) {}

  private static final String OLDEST = "6.2";
  static final String PROBE_KEY = Acl.KEY_PREFIX + "{startup}";

  // First a string under the key: what follows then fails for its type, and writes nothing.
  private static final String FIRST = "set %s 1 PX 1000";
  private static final Map<String, String> HARMLESS =
      Map.ofEntries(
          Map.entry("exists", "exists %s"),
          Map.entry("get", "get %s"),
          Map.entry("incrby", "incrby %s 0"),
          Map.entry("llen", "llen %s"),
          Map.entry("lrange", "lrange %s 0 0"),
          Map.entry("lset", "lset %s 0 x"),
          Map.entry("ltrim", "ltrim %s 0 0"),
          Map.entry("mget", "mget %s"),
          Map.entry("pexpire", "pexpire %s 1000"),
          Map.entry("pttl", "pttl %s"),
          Map.entry("rpush", "rpush %s x"),
          Map.entry("set", FIRST),
          Map.entry("time", "time"),
          Map.entry("unlink", "unlink %s"),
          Map.entry("zadd", "zadd %s 1 x"),
          Map.entry("zcount", "zcount %s 0 0"),
          Map.entry("zincrby", "zincrby %s 1 x"),
          Map.entry("zrange", "zrange %s 0 0"),
          Map.entry("zrangebyscore", "zrangebyscore %s 0 0"),
          Map.entry("zrem", "zrem %s x"),
          Map.entry("zremrangebyscore", "zremrangebyscore %s 0 0"),
          Map.entry("zrevrange", "zrevrange %s 0 0"),
          Map.entry("zscore", "zscore %s x"));

  private static final String PROBE =
      """
      local missing = {}
      for i = 1, #ARGV do
        local words = {}
        for word in string.gmatch(ARGV[i], '%S+') do words[#words + 1] = word end
        local reply = redis.pcall(unpack(words))
        local said = type(reply) == 'table' and reply.err or ''
        if string.find(said, 'NOPERM', 1, true) or string.find(said, "can't run this", 1, true)
            or string.find(said, 'ACL failure', 1, true) then
          missing[#missing + 1] = words[1]
        end
      end
      redis.pcall('unlink', KEYS[1])
      return missing
      """;

  private final Transport transport;
  private final RedisAddress address;
  private final List<String> warnings = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private String server = "unknown";
  private String runId = "";

  private StartupCheck(Transport transport, RedisAddress address) {
    this.transport = transport;
    this.address = address;
  }

  /** Completes with what was found; a server that goes away meanwhile is not a finding. */
  static CompletableFuture<Findings> run(Transport transport, RedisAddress address) {
    StartupCheck check = new StartupCheck(transport, address);
    return check
        .ask(check::readInfo, "INFO")
        .thenCompose(done -> check.askForSnapshots())
        .thenCompose(done -> check.ask(check::readEvalsha, "EVALSHA", "0".repeat(40), "0"))
        .thenCompose(done -> check.ask(check::readMissing, check.probe()))
        .thenApply(
            done ->
                new Findings(
                    check.server,
                    check.runId,
                    List.copyOf(check.warnings),
                    List.copyOf(check.problems)));
  }

  /** The commands whose permission {@link #probe} can find out. */
  static java.util.Set<String> probed() {
    return HARMLESS.keySet();
  }

  private interface Reading {
    void read(List<Object> reply, @Nullable RedisFailure failure);
  }

  private CompletableFuture<?> ask(Reading reading, String... words) {
    return transport
        .command(words)
        .handle(
            (reply, problem) -> {
              if (problem == null) {
                reading.read(reply, null);
              } else {
                reading.read(List.of(), failure(problem));
              }
              return reading;
            });
  }

  private static RedisFailure failure(Throwable problem) {
    Throwable cause = problem instanceof CompletionException ? problem.getCause() : problem;
    return cause instanceof TransportException known ? known.failure() : RedisFailure.LOST;
  }

  private String[] probe() {
    List<String> words = new ArrayList<>(List.of("EVAL", PROBE, "1", PROBE_KEY));
    words.add(FIRST.formatted(PROBE_KEY));
    for (String command : Scripts.COMMANDS) {
      String form = HARMLESS.get(command);
      if (form != null && !form.equals(FIRST)) {
        words.add(form.formatted(PROBE_KEY));
      }
    }
    return words.toArray(String[]::new);
  }

  private void readInfo(List<Object> reply, @Nullable RedisFailure failure) {
    if (failure != null) {
      if (failure == RedisFailure.NOPERM) {
        warnings.add("the user may not run INFO: neither version nor settings were checked");
      }
      return;
    }
    Map<String, String> info =
        text(reply, 0)
            .lines()
            .filter(line -> line.indexOf(':') > 0)
            .collect(
                Collectors.toMap(
                    line -> line.substring(0, line.indexOf(':')),
                    line -> line.substring(line.indexOf(':') + 1).strip(),
                    (first, second) -> first));
    runId = info.getOrDefault("run_id", "");
    String valkey = info.get("valkey_version");
    String version = info.getOrDefault("redis_version", "unknown");
    server = valkey == null ? "redis " + version : "valkey " + valkey;
    if (isOlder(version)) {
      problems.add("must be Redis %s or newer, or Valkey, got %s".formatted(OLDEST, server));
    }
    if ("32".equals(info.get("arch_bits"))) {
      // Whole numbers above 2^31 are written wrong there.
      problems.add("must be a server of 64 bits, got one of 32");
    }
    if (address.kind() != RedisAddress.Kind.CLUSTER) {
      if ("slave".equals(info.get("role"))) {
        warnings.add("the server is a replica: it decides nothing until it becomes the primary");
      }
      if ("1".equals(info.get("cluster_enabled"))) {
        warnings.add("the server is a node of a cluster: use redis-cluster:// as address");
      }
    }
    evicting(info.getOrDefault("maxmemory_policy", "noeviction"));
    if ("0".equals(info.get("aof_enabled"))) {
      warnings.add(NO_AOF);
    }
  }

  private static final String NO_AOF = "appendonly is off, so";

  private static boolean isOlder(String version) {
    String[] parts = version.split("\\.", -1);
    try {
      int major = Integer.parseInt(parts[0]);
      return major < 6 || (major == 6 && parts.length > 1 && Integer.parseInt(parts[1]) < 2);
    } catch (NumberFormatException notANumber) {
      return false;
    }
  }

  private void evicting(String policy) {
    String warning =
        "maxmemory-policy is %s: keys in use can be forgotten, which lifts limits; set noeviction"
            .formatted(policy);
    if (!policy.equals("noeviction")) {
      warnings.add(warning);
    }
  }

  /** INFO does not tell whether snapshots are on; asking matters only where nothing else is. */
  private CompletableFuture<?> askForSnapshots() {
    return warnings.contains(NO_AOF)
        ? ask(this::readSave, "CONFIG", "GET", "save")
        : CompletableFuture.completedFuture(this);
  }

  private void readSave(List<Object> reply, @Nullable RedisFailure failure) {
    warnings.remove(NO_AOF);
    if (failure != null) {
      warnings.add(
          "appendonly is off and the user may not read 'save': unless snapshots are on,"
              + " a restart forgets what was used");
    } else if (reply.size() > 1 && text(reply, 1).isEmpty()) {
      warnings.add("neither appendonly nor save is on: a restart forgets what was used");
    }
  }

  private void readEvalsha(List<Object> reply, @Nullable RedisFailure failure) {
    if (failure == RedisFailure.NOPERM) {
      problems.add("the user may not run EVALSHA; 'sluice acl' prints what is needed");
    }
  }

  private void readMissing(List<Object> reply, @Nullable RedisFailure failure) {
    if (failure == RedisFailure.NOPERM) {
      problems.add(
          "the user may not run EVAL on keys %s*; 'sluice acl' prints what is needed"
              .formatted(Acl.KEY_PREFIX));
    } else if (!reply.isEmpty()) {
      String names =
          reply.stream().map(StartupCheck::text).sorted().collect(Collectors.joining(", "));
      problems.add(
          "the user may not run %s inside scripts; 'sluice acl' prints what is needed"
              .formatted(names.toUpperCase(java.util.Locale.ROOT)));
    }
  }

  private static String text(List<Object> reply, int index) {
    return text(reply.get(index));
  }

  private static String text(Object value) {
    return value instanceof byte[] bytes
        ? new String(bytes, StandardCharsets.UTF_8)
        : String.valueOf(value);
  }
}

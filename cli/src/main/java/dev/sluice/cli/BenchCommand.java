package dev.sluice.cli;

import dev.sluice.StoreUnavailableException;
import dev.sluice.cli.bench.MemoryBench;
import dev.sluice.cli.bench.RedisBench;
import dev.sluice.redis.RedisAddress;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bench}: how fast it is on this machine. */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measure this machine: decisions in memory, and on Redis in ratios to plain SET.")
final class BenchCommand implements Callable<Integer> {
  @Option(names = "--quick", description = "Half a minute instead of two.")
  private boolean quick;

  @Option(
      names = "--store",
      paramLabel = "STORE",
      description = {
        "A Redis to measure, redis://[user:password@]host:port[/db] or rediss://…;",
        "without it a redis-server of the PATH is started for the while. It is put under load,",
        "so only the option counts: SLUICE_STORE is not read."
      })
  private @Nullable String store;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws CommandException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Runtime machine = Runtime.getRuntime();
    out.printf(
        "%d cores, Java %s%n", machine.availableProcessors(), System.getProperty("java.version"));
    new MemoryBench(quick ? 300 : 2_000).run(out);
    out.flush();
    try {
      if (store != null && !store.equals("memory")) {
        redis(store, out);
        return 0;
      }
      try (OwnRedis own = OwnRedis.start()) {
        if (own == null) {
          out.println("redis: not measured: no --store, and no redis-server on the PATH");
        } else {
          redis(own.uri(), out);
        }
      }
      return 0;
    } catch (IOException
        | IllegalArgumentException
        | RedisException
        | StoreUnavailableException unusable) {
      throw new CommandException(String.valueOf(unusable.getMessage()));
    }
  }

  private void redis(String address, PrintWriter out) throws InterruptedException {
    RedisAddress.Kind kind = RedisAddress.parse(address).kind();
    if (kind != RedisAddress.Kind.SERVER) {
      throw new IllegalArgumentException(
          "store: must be redis:// or rediss://, got %s".formatted(RedisAddress.parse(address)));
    }
    new RedisBench(address, quick ? 3 : 9, quick ? 400 : 700).run(out);
  }
}

package dev.sluice.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Lettuce and its threads, shared by all links of a store. */
final class LettuceClient {
  private final RedisClient client;
  private final ClientResources resources;
  private final ScheduledExecutorService timer;

  LettuceClient(RedisOptions options, ScheduledExecutorService timer) {
    this.resources = LettuceSettings.resources();
    this.client = RedisClient.create(resources);
    this.client.setOptions(LettuceSettings.options(options));
    this.timer = timer;
  }

  Link link(RedisURI uri, Object name, Runnable onConnect) {
    return new Link(client, uri, name, timer, onConnect);
  }

  /** Calls {@code onChange} whenever the sentinels name another primary. */
  void watch(RedisURI sentinels, Runnable onChange) {
    new SentinelWatch(client, sentinels, onChange).start(timer);
  }

  /** Connections end at once; the threads follow in the background, which takes a tenth second. */
  @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for threads to end
  void close() {
    client
        .shutdownAsync(0, 1, TimeUnit.SECONDS)
        .whenComplete((done, failure) -> resources.shutdown(0, 1, TimeUnit.SECONDS));
  }
}

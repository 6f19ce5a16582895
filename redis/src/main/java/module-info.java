/** Sluice on Redis and Valkey: the store, its scripts, and what it does when the server fails. */
@SuppressWarnings("requires-automatic") // Lettuce and Jedis have a name, but no descriptor
module dev.sluice.redis {
  requires transitive dev.sluice.core;
  requires static transitive org.jspecify;
  requires io.netty.common;
  requires io.netty.resolver.dns; // these two for Lettuce, which cannot say what it needs
  requires jdk.net;
  requires lettuce.core;
  requires org.slf4j;
  requires redis.clients.jedis;

  exports dev.sluice.redis;

  provides dev.sluice.StoreProvider with
      dev.sluice.redis.RedisStoreProvider;
}

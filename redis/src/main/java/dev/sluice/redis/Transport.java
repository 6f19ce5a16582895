package dev.sluice.redis;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Carries script calls to the server and replies back. Sends each exactly once, or fails: who may
 * be asked again is decided above, in {@link Attempt}. Safe for use by many threads.
 *
 * <p>Futures fail with {@link TransportException} and nothing else. Cancelling one keeps it from
 * being sent, if that has not happened yet.
 */
interface Transport extends AutoCloseable {
  /** How a script is named in a call. */
  enum Form {
    /** By its hash: EVALSHA. */
    HASH,
    /** By its source, which the server keeps: EVAL. */
    SOURCE
  }

  /**
   * Connects for the first time. If that fails the future tells why, and it is tried again in the
   * background until it succeeds.
   */
  CompletableFuture<Void> connect();

  /**
   * Sends a call.
   *
   * @param deadlineNanos the moment of {@link System#nanoTime} at which nobody waits any more
   */
  CompletableFuture<List<Object>> send(Call call, Form form, long deadlineNanos);

  /** Runs any other command, such as INFO, and gives its reply as a list, be it of one. */
  CompletableFuture<List<Object>> command(String... words);

  /**
   * Names the server that a call goes to, so that one that fails does not stop calls to the others.
   */
  Object nodeOf(Call call);

  /** The servers that calls go to now, as {@link #nodeOf} names them. */
  Set<Object> nodes();

  /** The short way to the server that a key is on, if it is open; else null. */
  @Nullable Lanes lanes(Prepared plan, String key);

  /** Whether two keys can be in one call. */
  boolean together(byte[] key, byte[] other);

  /** Closes the connection on which a call failed and finds out anew where the primary is. */
  void reconnect(Call call);

  /** Whether calls can be sent now. */
  boolean connected();

  @Override
  void close();
}

package dev.sluice.redis;

import dev.sluice.Policy;
import dev.sluice.tier.TieredStore;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link RedisStore} talks to its server, beyond its address. Immutable; each method returns
 * a changed copy.
 *
 * @param deadline how long a decision may take where its policy does not say; 20 ms
 * @param connectTimeout how long a connection may take to be made, credentials included; 2 s
 * @param maxWaiting calls of one connection that may wait for their answer, from 1 to 1,000,000;
 *     10,000
 * @param authority a file of PEM certificates that the server's must be signed by; null for those
 *     that Java trusts
 * @param verify what is checked of the server's certificate
 * @param denialsHeld how long a denial is repeated without asking again, so how late a refund made
 *     by another process is seen; 20 ms, 0 to ask every time
 * @param sentinelUser the user at the sentinels, where they ask for one
 * @param sentinelPassword the password at the sentinels, where they ask for one
 */
public record RedisOptions(
    Duration deadline,
    Duration connectTimeout,
    int maxWaiting,
    @Nullable Path authority,
    Verify verify,
    Duration denialsHeld,
    @Nullable String sentinelUser,
    @Nullable String sentinelPassword) {
  /** What is checked of a server's certificate. */
  public enum Verify {
    /** That it is signed by an authority and names the host that was asked for. */
    FULL,
    /** That it is signed by an authority. */
    AUTHORITY,
    /** Nothing: whoever stands between can read and change everything. */
    NONE
  }

  // Each has a place that is there from the start.
  private static final int MOST_WAITING = 1_000_000;

  /** Checks the figures. */
  public RedisOptions {
    positive("deadline", deadline);
    positive("connect timeout", connectTimeout);
    if (denialsHeld.isNegative() || denialsHeld.compareTo(TieredStore.LONGEST_HELD) > 0) {
      throw new IllegalArgumentException(
          "redis options: denials held must be from 0 to 10 seconds, got " + denialsHeld);
    }
    if (maxWaiting < 1 || maxWaiting > MOST_WAITING) {
      throw new IllegalArgumentException(
          "redis options: max waiting must be from 1 to %d, got %d"
              .formatted(MOST_WAITING, maxWaiting));
    }
  }

  private static void positive(String field, Duration value) {
    if (value.isNegative() || value.isZero() || value.compareTo(Policy.LONGEST_DEADLINE) > 0) {
      throw new IllegalArgumentException(
          "redis options: %s must be positive and at most 1 hour, got %s".formatted(field, value));
    }
  }

  /** What is used unless told otherwise. */
  public static RedisOptions defaults() {
    return new RedisOptions(
        Duration.ofMillis(20),
        Duration.ofSeconds(2),
        10_000,
        null,
        Verify.FULL,
        TieredStore.DENIALS_HELD,
        null,
        null);
  }

  /** The same with another deadline for decisions. */
  public RedisOptions withDeadline(Duration time) {
    return new RedisOptions(
        time,
        connectTimeout,
        maxWaiting,
        authority,
        verify,
        denialsHeld,
        sentinelUser,
        sentinelPassword);
  }

  /** The same with another limit for the making of a connection. */
  public RedisOptions withConnectTimeout(Duration time) {
    return new RedisOptions(
        deadline, time, maxWaiting, authority, verify, denialsHeld, sentinelUser, sentinelPassword);
  }

  /** The same with another number of calls that may wait for their answer. */
  public RedisOptions withMaxWaiting(int calls) {
    return new RedisOptions(
        deadline,
        connectTimeout,
        calls,
        authority,
        verify,
        denialsHeld,
        sentinelUser,
        sentinelPassword);
  }

  /** The same, trusting the authorities in a PEM file instead of those that Java trusts. */
  public RedisOptions withAuthority(Path pem) {
    return new RedisOptions(
        deadline,
        connectTimeout,
        maxWaiting,
        pem,
        verify,
        denialsHeld,
        sentinelUser,
        sentinelPassword);
  }

  /** The same with other checks of the server's certificate. */
  public RedisOptions withVerify(Verify checks) {
    return new RedisOptions(
        deadline,
        connectTimeout,
        maxWaiting,
        authority,
        checks,
        denialsHeld,
        sentinelUser,
        sentinelPassword);
  }

  /** The same with another time for which denials are repeated; 0 to ask every time. */
  public RedisOptions withDenialsHeld(Duration time) {
    return new RedisOptions(
        deadline,
        connectTimeout,
        maxWaiting,
        authority,
        verify,
        time,
        sentinelUser,
        sentinelPassword);
  }

  /** The same with credentials for the sentinels; the user may be null. */
  public RedisOptions withSentinelLogin(@Nullable String user, String password) {
    return new RedisOptions(
        deadline, connectTimeout, maxWaiting, authority, verify, denialsHeld, user, password);
  }

  /** Everything but the password. */
  @Override
  public String toString() {
    return "deadline %s, connect timeout %s, max waiting %d, authority %s, verify %s, denials held %s%s"
        .formatted(
            deadline,
            connectTimeout,
            maxWaiting,
            authority == null ? "of Java" : authority,
            verify,
            denialsHeld,
            sentinelPassword == null ? "" : ", sentinel login ***");
  }
}

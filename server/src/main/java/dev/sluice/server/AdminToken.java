package dev.sluice.server;

import dev.sluice.Limit;
import dev.sluice.MicroClock;
import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The token of administrators, and a limit on guessing it. Each address may be wrong twenty times
 * at once and once a second after that; beyond it nothing is compared, so that a guesser does not
 * even learn that he was right. Safe for use by many threads.
 */
public final class AdminToken {
  private static final Limit GUESSES = Limit.tokenBucket(1, Duration.ofSeconds(1)).burst(20);
  private static final long MOST_ADDRESSES = 10_000;
  // One customer's IPv6 network: within it anybody has as many addresses as he likes.
  private static final int NETWORK_BYTES = 8;
  // What a header carries as it is: of its ends blanks are taken off.
  private static final Pattern FORM = Pattern.compile("[!-~]([ -~]*[!-~])?");

  /** What came of an offered token. */
  public enum Verdict {
    /** It is the token. */
    RIGHT,
    /** It is not. */
    WRONG,
    /** It was not looked at: there were too many wrong ones from there. */
    TOO_MANY
  }

  private final byte[] token;
  private final RateLimiter guesses =
      Sluice.of(new InMemoryStore(MicroClock.system(), MOST_ADDRESSES))
          .limiter("admin-token", GUESSES);

  /**
   * A token as a header carries it.
   *
   * @throws IllegalArgumentException if it is not printable ASCII, or has blanks at its ends
   */
  public AdminToken(String token) {
    if (!FORM.matcher(token).matches()) {
      throw new IllegalArgumentException(
          "admin-token: must be printable ASCII, not empty, without blanks or line ends around it");
    }
    this.token = token.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Compares what somebody offers, in the same time for a nearly right token as for a wrong one.
   */
  public Verdict check(byte[] offered, InetAddress from) {
    String who = network(from);
    if (!guesses.peek(who).allowed()) {
      return Verdict.TOO_MANY;
    }
    if (MessageDigest.isEqual(token, offered)) {
      return Verdict.RIGHT;
    }
    guesses.tryAcquire(who);
    return Verdict.WRONG;
  }

  private static String network(InetAddress address) {
    byte[] bytes = address.getAddress();
    return HexFormat.of()
        .formatHex(bytes.length > NETWORK_BYTES ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes);
  }

  /** The token is not shown. */
  @Override
  public String toString() {
    return "AdminToken";
  }
}

package dev.sluice.redis;

import dev.sluice.Limit;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Names of Redis keys: {@code sl:{policy:key}} for the buckets and windows of a key, which lie in
 * one value, {@code sl:{policy:key}suffix} for its logs and leases. What stands in the braces
 * decides the slot, so all keys of a decision lie together; the suffix is a letter for the
 * algorithm and the limit's name.
 *
 * <p>Different (policy, key, limit) never meet in one name. The braces hold the policy with {@code
 * %}, {@code }} and {@code :} escaped, a colon, and the key with {@code %} and {@code }} escaped;
 * or, for long text and for text that is no Unicode, {@code #} and a digest, which has no colon. No
 * byte of a caller closes the braces. At most 256 bytes (KeyCodecTest).
 */
final class KeyCodec {
  private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] OPEN = "sl:{".getBytes(StandardCharsets.US_ASCII);
  // 256 less the braces and the longest suffix: a letter and 64 characters of a limit's name.
  private static final int LONGEST_TAG = 256 - 5 - 65;

  /** The suffix of the key that holds buckets and windows. */
  static final byte[] CELLS = {};

  /** The suffix of the key that holds a key's reservations. */
  static final byte[] RESERVATIONS = {'r'};

  private KeyCodec() {}

  /** The part of the name that all keys of a decision share, the closing brace included. */
  static byte[] tag(byte @Nullable [] policyTag, String policy, String key) {
    byte[] plain = policyTag == null ? null : plain(policyTag, key);
    return plain == null ? digested(policy, key) : plain;
  }

  /** The beginning of a policy's keys; null where the policy is no Unicode or too long. */
  static byte @Nullable [] policyTag(String policy) {
    ByteBuffer text = utf8(policy);
    if (text == null) {
      return null;
    }
    ByteBuffer out = ByteBuffer.allocate(OPEN.length + 3 * text.remaining() + 1).put(OPEN);
    while (text.hasRemaining()) {
      escape(text.get(), true, out);
    }
    return bytes(out.put((byte) ':'));
  }

  private static byte @Nullable [] plain(byte[] policyTag, String key) {
    int length = policyTag.length + key.length();
    if (length - OPEN.length > LONGEST_TAG) {
      return null;
    }
    byte[] out = Arrays.copyOf(policyTag, length + 1);
    for (int i = 0; i < key.length(); i++) {
      char c = key.charAt(i);
      if (c > 127 || c == '%' || c == '}') {
        return escaped(policyTag, key);
      }
      out[policyTag.length + i] = (byte) c;
    }
    out[length] = '}';
    return out;
  }

  private static byte @Nullable [] escaped(byte[] policyTag, String key) {
    ByteBuffer text = utf8(key);
    if (text == null) {
      return null;
    }
    ByteBuffer out = ByteBuffer.allocate(policyTag.length + 3 * text.remaining() + 1);
    out.put(policyTag);
    while (text.hasRemaining()) {
      escape(text.get(), false, out);
    }
    return out.position() - OPEN.length > LONGEST_TAG ? null : bytes(out.put((byte) '}'));
  }

  private static void escape(byte b, boolean policy, ByteBuffer out) {
    if (b == '%' || b == '}' || (policy && b == ':')) {
      out.put((byte) '%').put(HEX[b >> 4]).put(HEX[b & 15]);
    } else {
      out.put(b);
    }
  }

  private static byte[] digested(String policy, String key) {
    // Two bytes a character keep apart what no charset can write; the length keeps policy from key.
    ByteBuffer text = ByteBuffer.allocate(4 + 2 * (policy.length() + key.length()));
    text.putInt(policy.length());
    (policy + key).chars().forEach(c -> text.putChar((char) c));
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.array());
      String name = Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
      return ("sl:{#" + name + "}").getBytes(StandardCharsets.US_ASCII);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  private static @Nullable ByteBuffer utf8(String text) {
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
    } catch (CharacterCodingException unpairedSurrogate) {
      return null;
    }
  }

  /** What follows the braces: nothing where a limit's state lies with others in one value. */
  static byte[] suffix(Limit limit) {
    return switch (limit.algorithm()) {
      case TOKEN_BUCKET, FIXED_WINDOW, LEAKY_BUCKET -> CELLS;
      case SLIDING_LOG -> suffix('l', limit);
      case SLIDING_WINDOW -> suffix('w', limit);
      case CONCURRENCY -> suffix('c', limit);
    };
  }

  private static byte[] suffix(char letter, Limit limit) {
    return (letter + ownName(limit)).getBytes(StandardCharsets.US_ASCII);
  }

  /** The name of a limit, or nothing where it is the usual one; it may hold any printable ASCII. */
  private static String ownName(Limit limit) {
    return limit.name().equals(limit.algorithm().id()) ? "" : limit.name();
  }

  /** The name of a limit where commas stand between names, and an @ behind them. */
  static String listedName(Limit limit) {
    return ownName(limit).replace("%", "%25").replace(",", "%2C").replace("@", "%40");
  }

  static byte[] join(byte[] tag, byte[] suffix) {
    return ByteBuffer.allocate(tag.length + suffix.length).put(tag).put(suffix).array();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.position()];
    buffer.flip().get(bytes);
    return bytes;
  }
}

package dev.sluice;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.OptionalInt;

/**
 * Names a lease or a reservation so that it can be settled knowing nothing else: the policy, the
 * key and 128 random bits that nobody can guess.
 *
 * @param rule the number of the rule that a long key matched, which its digest does not tell
 */
record PermitId(String policy, String key, String nonce, OptionalInt rule) {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();
  private static final Base64.Decoder DECODER = Base64.getUrlDecoder();
  private static final int NONCE_LENGTH = 22;

  static String newNonce() {
    byte[] bits = new byte[16];
    RANDOM.nextBytes(bits);
    return ENCODER.encodeToString(bits);
  }

  /** Reads an id as {@link #toString} wrote it. */
  static PermitId parse(String kind, String text) {
    String[] parts = text.split("\\.", -1);
    try {
      if ((parts.length == 3 || parts.length == 4) && parts[2].length() == NONCE_LENGTH) {
        String policy = new String(DECODER.decode(parts[0]), StandardCharsets.UTF_8);
        String key = Keys.text(DECODER.decode(parts[1]));
        DECODER.decode(parts[2]);
        OptionalInt rule =
            parts.length == 3
                ? OptionalInt.empty()
                : OptionalInt.of(Integer.parseUnsignedInt(parts[3]));
        if (!policy.isEmpty() && !key.isEmpty()) {
          return new PermitId(policy, key, parts[2], rule);
        }
      }
    } catch (IllegalArgumentException notBase64) {
      throw new IllegalArgumentException(unreadable(kind, text), notBase64);
    }
    throw new IllegalArgumentException(unreadable(kind, text));
  }

  private static String unreadable(String kind, String text) {
    String shown = text.length() <= 80 ? text : text.substring(0, 80) + "…";
    return "%s must be an id as it was given out, got '%s'".formatted(kind, shown);
  }

  @Override
  public String toString() {
    return ENCODER.encodeToString(policy.getBytes(StandardCharsets.UTF_8))
        + "."
        + ENCODER.encodeToString(Keys.bytes(key))
        + "."
        + nonce
        + (rule.isPresent() ? "." + rule.getAsInt() : "");
  }
}

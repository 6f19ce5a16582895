package dev.sluice;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Keys as stores see them: short, and different for different callers. */
final class Keys {
  /** Longer keys are kept by their digest. */
  static final int LONGEST = 200;

  private static final char MARK = '\0';

  private Keys() {}

  /**
   * The key itself, or a mark and its SHA-256 where it is long. A short key that begins with the
   * mark is digested too, so no caller can write another's digest.
   */
  static String canonical(String key) {
    return isCanonical(key) ? key : MARK + digest(key);
  }

  /** Whether stores see the key as it is. Not so for an empty key, which nobody may ask for. */
  static boolean isCanonical(String key) {
    return !key.isEmpty() && key.length() <= LONGEST && key.charAt(0) != MARK;
  }

  private static String digest(String key) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(key)));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-256", impossible);
    }
  }

  /** Two bytes a character: unlike a charset, it keeps unpaired surrogates apart. */
  static byte[] bytes(String key) {
    byte[] bytes = new byte[2 * key.length()];
    for (int i = 0; i < key.length(); i++) {
      bytes[2 * i] = (byte) (key.charAt(i) >>> 8);
      bytes[2 * i + 1] = (byte) key.charAt(i);
    }
    return bytes;
  }

  static String text(byte[] bytes) {
    char[] chars = new char[bytes.length / 2];
    for (int i = 0; i < chars.length; i++) {
      chars[i] = (char) ((bytes[2 * i] << 8) | (bytes[2 * i + 1] & 0xFF));
    }
    return new String(chars);
  }
}

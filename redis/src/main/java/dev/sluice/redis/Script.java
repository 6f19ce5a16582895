package dev.sluice.redis;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A program that the server runs, and the name by which the server remembers it.
 *
 * @param sha the SHA-1 of the source in lower-case hex, as EVALSHA wants it
 */
record Script(String source, String sha) {
  static Script of(String source) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      byte[] digest = sha1.digest(source.getBytes(StandardCharsets.UTF_8));
      return new Script(source, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-1", impossible);
    }
  }

  /** The source is long; the name is enough in a log. */
  @Override
  public String toString() {
    return "script " + sha;
  }
}

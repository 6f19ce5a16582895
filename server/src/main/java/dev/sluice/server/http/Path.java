package dev.sluice.server.http;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The segments of a request's path, taken apart at its slashes before anything is decoded: a key
 * may hold slashes, written {@code %2F}. Two different keys must never become one, so bytes that
 * are no UTF-8 are refused instead of replaced.
 */
final class Path {
  private Path() {}

  static List<String> segments(String rawPath) {
    List<String> segments = new ArrayList<>();
    for (String segment : rawPath.substring(1).split("/", -1)) {
      segments.add(decode("path", segment));
    }
    return segments;
  }

  /** Decodes {@code %XX}; {@code what} names the part of the request in the problem. */
  static String decode(String what, String text) {
    if (!isAscii(text)) {
      // Taken as it is, it would be read byte by byte, and be another key than its encoded form.
      throw ProblemException.badRequest(
          "%s: must be percent-encoded UTF-8, got a character that is not ASCII", what);
    }
    if (text.indexOf('%') < 0) {
      return text;
    }
    byte[] encoded = text.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer decoded = ByteBuffer.allocate(encoded.length);
    for (int i = 0; i < encoded.length; i++) {
      if (encoded[i] != '%') {
        decoded.put(encoded[i]);
        continue;
      }
      int high = i + 2 < encoded.length ? Character.digit(encoded[i + 1], 16) : -1;
      int low = i + 2 < encoded.length ? Character.digit(encoded[i + 2], 16) : -1;
      if (high < 0 || low < 0) {
        throw ProblemException.badRequest("%s: %% must be followed by two hex digits", what);
      }
      decoded.put((byte) (16 * high + low));
      i += 2;
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(decoded.flip()).toString();
    } catch (CharacterCodingException notUtf8) {
      throw ProblemException.badRequest("%s: must be percent-encoded UTF-8", what);
    }
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 128);
  }
}

package dev.sluice.server.resp;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Keys are bytes here and text everywhere else. UTF-8 is read as what it says, so that a key is the
 * same through every face of Sluice; other bytes become one character each behind a mark.
 */
final class KeyText {
  // Half of a surrogate pair, followed by a character that is not the other half: no valid text has
  // it, so bytes that are not text never meet bytes that are.
  private static final char NOT_TEXT = '\uD800';

  private KeyText() {}

  static String of(byte[] bytes, int start, int end) {
    for (int i = start; i < end; i++) {
      if (bytes[i] < 0) {
        return decode(bytes, start, end - start);
      }
    }
    return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
  }

  private static String decode(byte[] bytes, int start, int length) {
    try {
      ByteBuffer text = ByteBuffer.wrap(bytes, start, length);
      return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
    } catch (CharacterCodingException notText) {
      return NOT_TEXT + new String(bytes, start, length, StandardCharsets.ISO_8859_1);
    }
  }
}

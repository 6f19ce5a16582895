package dev.sluice.http.field;

import java.nio.charset.StandardCharsets;

/** Text made fit for a header. */
public final class FieldText {
  private FieldText() {}

  /** A String of structured fields; the text is printable ASCII, as every limit's name is. */
  public static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  /** Printable ASCII as it is, everything else and {@code %} as percent-encoded UTF-8. */
  public static String ascii(String text) {
    StringBuilder written = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      if (b >= ' ' && b < 127 && b != '%') {
        written.append((char) b);
      } else {
        written.append("%%%02X".formatted(b & 0xFF));
      }
    }
    return written.toString();
  }
}

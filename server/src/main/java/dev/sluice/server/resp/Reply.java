package dev.sluice.server.resp;

/** An answer that is ready to be written. */
@FunctionalInterface
non-sealed interface Reply extends Answer {
  Reply OK = out -> out.simple("OK");

  /** Says nothing. */
  Reply NONE = out -> {};

  void write(ReplyWriter out);

  static Reply error(String text) {
    return out -> out.error(text);
  }

  static Reply simple(String text) {
    return out -> out.simple(text);
  }

  static Reply integer(long value) {
    return out -> out.integer(value);
  }

  static Reply bulk(byte[] bytes) {
    return out -> out.bulk(bytes);
  }

  static Reply bulk(String text) {
    return out -> out.bulk(text);
  }
}

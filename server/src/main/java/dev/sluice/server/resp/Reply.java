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

  /** What the subcommands of a command are, framed as Redis frames it. */
  static Reply help(String command, String... lines) {
    return out -> {
      out.array(lines.length + 3);
      out.simple(command + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:");
      for (String line : lines) {
        out.simple(line);
      }
      out.simple("HELP");
      out.simple("    What you are reading.");
    };
  }

  static Reply bulk(byte[] bytes) {
    return out -> out.bulk(bytes);
  }

  static Reply bulk(String text) {
    return out -> out.bulk(text);
  }
}

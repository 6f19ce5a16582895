package dev.sluice.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lines of logs that could not be used, by what they lack: a log of a million lines of one kind
 * must not hide that one line is of another.
 */
final class SkippedLines {
  private static final int MOST_KINDS = 5;
  private static final int LONGEST = 300;

  private final Map<String, Kind> kinds = new LinkedHashMap<>();
  private long count;
  private long others;

  private static final class Kind {
    private final String place;
    private final String reason;
    private long more;

    Kind(String place, String reason) {
      this.place = place;
      this.reason = reason;
    }
  }

  /** Adds a line; reasons that differ only in the value that they got are of one kind. */
  void add(String log, long number, String reason) {
    count++;
    int value = reason.indexOf(", got ");
    String rule = value < 0 ? reason : reason.substring(0, value);
    Kind known = kinds.get(rule);
    if (known != null) {
      known.more++;
    } else if (kinds.size() < MOST_KINDS) {
      kinds.put(rule, new Kind(log + ":" + number, reason));
    } else {
      others++;
    }
  }

  long count() {
    return count;
  }

  /** A line for the first of each kind, which says how many there are like it. */
  List<String> told() {
    List<String> told = new ArrayList<>();
    kinds.forEach(
        (rule, kind) ->
            told.add(
                "%s: skipped%s: %s"
                    .formatted(
                        kind.place,
                        kind.more == 0 ? "" : ", and %d more like it".formatted(kind.more),
                        shown(kind.reason))));
    if (others > 0) {
      told.add("lines skipped for other reasons: " + others);
    }
    return told;
  }

  private static String shown(String reason) {
    String cut = reason.length() > LONGEST ? reason.substring(0, LONGEST) + "…" : reason;
    return TopCommand.printable(cut);
  }
}

package dev.sluice.bench.redis;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The figures as text: for people in Markdown, for programs as TSV. */
final class Table {
  private Table() {}

  static String of(Map<String, Map<Mode, Figures>> figures, List<Mode> modes) {
    StringBuilder text = new StringBuilder();
    for (Mode mode : modes) {
      text.append("\n### ").append(mode.title).append("\n\n");
      text.append("| | of SET | a second | p50 µs | p99 µs | client CPU µs | server CPU µs | a call |\n");
      text.append("|---|---|---|---|---|---|---|---|\n");
      figures.forEach(
          (name, all) -> {
            Figures some = all.get(mode);
            if (some != null) {
              text.append(line(name, mode, some));
            }
          });
    }
    return text.toString();
  }

  private static String line(String name, Mode mode, Figures some) {
    boolean timed = mode.threads > 0;
    return String.format(
        Locale.ROOT,
        "| %s | %.2f | %.0f | %s | %s | %.1f | %.1f | %.1f |%n",
        name,
        mode.threads == 1 ? some.time() : some.speed(),
        some.perSecond(),
        timed ? String.format(Locale.ROOT, "%.0f", some.percentileMicros(50)) : "",
        timed ? String.format(Locale.ROOT, "%.0f", some.percentileMicros(99)) : "",
        some.clientMicros(),
        some.serverMicros(),
        some.together());
  }

  static String tsv(Map<String, Map<Mode, Figures>> figures) {
    StringBuilder text = new StringBuilder("subject\tmode\tspeed\ttime\tper_second\tserver_micros\n");
    figures.forEach(
        (name, all) ->
            all.forEach(
                (mode, some) ->
                    text.append(
                        String.format(
                            Locale.ROOT,
                            "%s\t%s\t%.3f\t%.3f\t%.0f\t%.2f%n",
                            name,
                            mode,
                            some.speed(),
                            some.time(),
                            some.perSecond(),
                            some.serverMicros()))));
    return text.toString();
  }
}

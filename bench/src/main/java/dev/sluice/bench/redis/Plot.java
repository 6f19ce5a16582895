package dev.sluice.bench.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Draws one mode of the figures that {@link RedisLoad} wrote as bars in an SVG. */
public final class Plot {
  private static final int BAR = 22;
  private static final int LEFT = 190;
  private static final int WIDTH = 640;

  private record Row(String subject, double ratio) {}

  private Plot() {}

  /** Arguments: {@code in=FILE.tsv}, {@code mode=THREADS}, {@code out=FILE.svg}. */
  public static void main(String[] args) throws IOException {
    Options options = Options.of(args);
    Mode mode = Mode.valueOf(options.list("mode", List.of("THREADS")).get(0));
    List<Row> rows = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(options.list("in", List.of()).get(0)))) {
      String[] parts = line.split("\t", -1);
      if (parts[1].equals(mode.name())) {
        rows.add(new Row(parts[0], Double.parseDouble(parts[mode.threads == 1 ? 3 : 2])));
      }
    }
    rows.sort(Comparator.comparingDouble(Row::ratio));
    options.write("out", svg(mode, rows));
  }

  private static String svg(Mode mode, List<Row> rows) {
    double most = rows.stream().mapToDouble(Row::ratio).max().orElse(1);
    StringBuilder svg = new StringBuilder();
    int height = 40 + BAR * rows.size();
    svg.append(
        String.format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"12\">%n",
            WIDTH, height));
    svg.append(
        String.format(
            "<text x=\"8\" y=\"18\" font-weight=\"bold\">%s: %s as a multiple of SET</text>%n",
            mode.title, mode.threads == 1 ? "median time of a call" : "decisions a second"));
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      double length = row.ratio / most * (WIDTH - LEFT - 60);
      int y = 30 + BAR * i;
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
                  + "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>"
                  + "<text x=\"%.1f\" y=\"%d\">%.2f</text>%n",
              LEFT - 8,
              y + 14,
              row.subject,
              LEFT,
              y,
              Math.max(1, length),
              BAR - 5,
              row.subject.startsWith(Subjects.OURS) ? "#0a7d5a" : "#9aa5b1",
              LEFT + length + 6,
              y + 14,
              row.ratio));
    }
    return svg.append("</svg>\n").toString();
  }
}

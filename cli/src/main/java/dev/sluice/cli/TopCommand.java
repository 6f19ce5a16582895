package dev.sluice.cli;

import java.io.PrintWriter;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice top}: who is being limited, again every second. */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    description = "Show the keys that a server denies most, live; once where there is no terminal.")
final class TopCommand implements Callable<Integer> {
  private static final String HOME_AND_CLEAR = "\u001b[H\u001b[2J";

  @Option(names = "--policy", paramLabel = "NAME", description = "Only keys of this policy.")
  private @Nullable String policy;

  @Option(names = "--once", description = "Print once and exit.")
  private boolean once;

  @Mixin private ServerOption server = new ServerOption();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws CommandException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    boolean live = !once && CommandLine.Help.Ansi.AUTO.enabled();
    while (true) {
      String table = table();
      out.print(live ? HOME_AND_CLEAR + table : table);
      out.flush();
      if (!live) {
        return 0;
      }
      TimeUnit.SECONDS.sleep(1);
    }
  }

  private String table() throws CommandException {
    String query =
        policy == null ? "" : "?policy=" + URLEncoder.encode(policy, StandardCharsets.UTF_8);
    HttpResponse<String> response = server.get("v1/top" + query);
    if (response.statusCode() != 200) {
      throw new CommandException(ServerOption.problem(response));
    }
    if (!(ServerOption.object(response).get("keys") instanceof List<?> keys)) {
      throw ServerOption.stranger(response);
    }
    StringBuilder table =
        new StringBuilder("%10s  %-20s %-16s %s%n".formatted("DENIED", "POLICY", "LIMIT", "KEY"));
    for (Object row : keys) {
      if (row instanceof Map<?, ?> key) {
        table.append(
            "%10s  %-20s %-16s %s%n"
                .formatted(
                    key.get("denied"),
                    printable(key.get("policy")),
                    printable(key.get("limit")),
                    printable(key.get("key"))));
      }
    }
    return table.toString();
  }

  /** A key is whatever a stranger sent: it must not talk to the terminal. */
  static String printable(@Nullable Object text) {
    StringBuilder shown = new StringBuilder();
    String.valueOf(text)
        .codePoints()
        .forEach(
            c -> {
              boolean quiet =
                  Character.isISOControl(c)
                      || Character.getType(c) == Character.FORMAT
                      || Character.getType(c) == Character.SURROGATE;
              if (quiet) {
                shown.append("\\u{%x}".formatted(c));
              } else {
                shown.appendCodePoint(c);
              }
            });
    return shown.toString();
  }
}

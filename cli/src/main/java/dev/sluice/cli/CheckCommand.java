package dev.sluice.cli;

import java.io.StringWriter;
import java.math.BigDecimal;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** {@code sluice check}: asks a server once. */
@Command(
    name = "check",
    mixinStandardHelpOptions = true,
    description = "Ask a server whether a key may pass. Exit 0 allowed, 1 denied, 2 error.")
final class CheckCommand implements Callable<Integer> {
  @Parameters(paramLabel = "POLICY", description = "The policy's name.")
  private String policy = "";

  @Parameters(paramLabel = "KEY", description = "Who is being limited.")
  private String key = "";

  @Option(
      names = "--cost",
      paramLabel = "N",
      defaultValue = "1",
      description = "Permits to take (default: ${DEFAULT-VALUE}).")
  private long cost;

  @Option(names = "--peek", description = "Only look: take nothing.")
  private boolean peek;

  @Option(names = "--json", description = "Print the server's answer as it is.")
  private boolean json;

  @Mixin private ServerOption server = new ServerOption();
  @Spec private CommandSpec spec = CommandSpec.create();

  @Override
  public Integer call() throws CommandException {
    HttpResponse<String> response = server.post("v1/check", body());
    if (response.statusCode() != 200 && response.statusCode() != 429) {
      throw new CommandException(ServerOption.problem(response));
    }
    Map<String, @Nullable Object> decision = ServerOption.object(response);
    if (!(decision.get("allowed") instanceof Boolean allowed)) {
      throw ServerOption.stranger(response);
    }
    spec.commandLine().getOut().println(json ? response.body() : sentence(decision));
    return allowed ? 0 : 1;
  }

  private String body() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      json.writeStringProperty("policy", policy);
      json.writeStringProperty("key", key);
      json.writeNumberProperty("cost", cost);
      if (peek) {
        json.writeStringProperty("mode", "peek");
      }
      json.writeEndObject();
    }
    return text.toString();
  }

  private static String sentence(Map<String, @Nullable Object> decision) {
    StringBuilder text =
        new StringBuilder(Boolean.TRUE.equals(decision.get("allowed")) ? "allowed" : "denied");
    Object binding = decision.get("binding");
    if (binding != null) {
      text.append(
          ": limit '%s', %s left"
              .formatted(TopCommand.printable(binding), decision.get("remaining")));
    }
    appendMillis(text, decision, "waitMillis", ", wait %d ms");
    appendMillis(text, decision, "retryAfterMillis", ", retry in %d ms");
    if (decision.containsKey("retryAfterMillis") && decision.get("retryAfterMillis") == null) {
      text.append(", can never pass");
    }
    for (String flag : new String[] {"degraded", "shadow"}) {
      text.append(Boolean.TRUE.equals(decision.get(flag)) ? ", " + flag : "");
    }
    if (decision.get("lease") instanceof String lease) {
      // Who does not know it cannot give the permit back.
      text.append(", lease ").append(TopCommand.printable(lease));
    }
    return text.toString();
  }

  private static void appendMillis(
      StringBuilder text, Map<String, @Nullable Object> decision, String name, String format) {
    if (decision.get(name) instanceof BigDecimal millis && millis.signum() > 0) {
      text.append(format.formatted(millis.longValue()));
    }
  }
}

package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import dev.sluice.http.Problem;
import dev.sluice.server.ServerContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what changes other people's state to those who have the token, and writes down what they
 * did.
 */
final class Admin {
  private static final Logger AUDIT = LoggerFactory.getLogger("dev.sluice.audit");

  private final Optional<byte[]> token;
  private final ServerContext context;

  Admin(ServerContext context) {
    this.context = context;
    this.token = context.options().adminToken().map(text -> text.getBytes(StandardCharsets.UTF_8));
  }

  /** The same route for administrators only. */
  Routes.Handler only(Routes.Handler handler) {
    return call -> {
      Optional<HttpResponse> refused = refusal(call);
      return refused.isPresent()
          ? CompletableFuture.completedFuture(refused.get())
          : handler.handle(call);
    };
  }

  /** The same route for anyone on this machine, for administrators only where others can call. */
  Routes.Handler onlyIfExposed(Routes.Handler handler) {
    return context.loopback() ? handler : only(handler);
  }

  private Optional<HttpResponse> refusal(Call call) {
    if (token.isEmpty()) {
      return Optional.of(
          Answers.problem(
              Problem.of(403, "Forbidden", "admin calls need a server with --admin-token")));
    }
    String given = call.request().headers().get(HttpHeaderNames.AUTHORIZATION, "");
    boolean bearer = given.regionMatches(true, 0, "Bearer ", 0, 7);
    byte[] offered = (bearer ? given.substring(7).strip() : "").getBytes(StandardCharsets.UTF_8);
    // Takes as long for a nearly right token as for a wrong one.
    if (!MessageDigest.isEqual(token.get(), offered)) {
      Problem problem =
          Problem.of(401, "Unauthorized", "admin calls need Authorization: Bearer TOKEN");
      return Optional.of(
          HttpResponse.of(
              Answers.problemHeaders(problem)
                  .add(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer")
                  .build(),
              HttpData.wrap(problem.json())));
    }
    boolean local = call.context().remoteAddress().getAddress().isLoopbackAddress();
    if (!local && !context.tls()) {
      return Optional.of(
          Answers.problem(
              Problem.of(
                  403,
                  "Forbidden",
                  "admin calls from other machines need TLS: --tls-cert and --tls-key")));
    }
    return Optional.empty();
  }

  /** Writes down who did what to whom; keys are quoted so that none can forge a line. */
  void audit(Call call, String action, String policy, String key, CompletionStage<?> done) {
    String peer = call.context().remoteAddress().getAddress().getHostAddress();
    done.whenComplete(
        (answer, failure) ->
            AUDIT.info(
                "admin {} policy={} key={} from={} {}",
                action,
                quoted(policy),
                quoted(key),
                peer,
                failure == null ? "done" : "failed"));
  }

  static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < Math.min(text.length(), 200); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c > '~' || c == '"' || c == '\\') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append(text.length() > 200 ? "\"…" : "\"").toString();
  }
}

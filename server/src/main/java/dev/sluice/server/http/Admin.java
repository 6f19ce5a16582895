package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.RequestHeaders;
import dev.sluice.http.Problem;
import dev.sluice.server.AdminToken;
import dev.sluice.server.ServerContext;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
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
  private static final String BEARER = "Bearer ";

  private final ServerContext context;

  Admin(ServerContext context) {
    this.context = context;
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
    Optional<AdminToken> token = context.adminToken();
    if (token.isEmpty()) {
      return forbidden("admin calls need a server with --admin-token");
    }
    InetAddress from = call.context().remoteAddress().getAddress();
    Optional<byte[]> offered = offered(call.request().headers());
    return switch (offered.map(o -> token.get().check(o, from)).orElse(AdminToken.Verdict.WRONG)) {
      case WRONG -> Optional.of(unauthorized());
      case TOO_MANY -> Optional.of(tooMany());
      case RIGHT ->
          from.isLoopbackAddress() || context.tls()
              ? Optional.empty()
              : forbidden("admin calls from other machines need TLS: --tls-cert and --tls-key");
    };
  }

  private static Optional<byte[]> offered(RequestHeaders headers) {
    String given = headers.get(HttpHeaderNames.AUTHORIZATION, "");
    return given.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? Optional.of(given.substring(BEARER.length()).strip().getBytes(StandardCharsets.UTF_8))
        : Optional.empty();
  }

  private static Optional<HttpResponse> forbidden(String detail) {
    return Optional.of(Answers.problem(Problem.of(403, "Forbidden", detail)));
  }

  private static HttpResponse unauthorized() {
    return Answers.problem(
        Problem.of(401, "Unauthorized", "admin calls need Authorization: Bearer TOKEN"),
        HttpHeaderNames.WWW_AUTHENTICATE,
        "Bearer");
  }

  private static HttpResponse tooMany() {
    return Answers.problem(
        Problem.of(429, "Too Many Requests", "too many wrong admin tokens from this address"),
        HttpHeaderNames.RETRY_AFTER,
        "1");
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

package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.sluice.http.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the route of a request. Armeria's own router decodes and tidies paths before it matches
 * them; here a key must arrive as it was sent.
 */
final class Routes implements HttpService {
  /** Answers a request, now or later. */
  interface Handler {
    CompletionStage<HttpResponse> handle(Call call);
  }

  private record Route(HttpMethod method, List<String> pattern, Handler handler) {
    /** The open parts of a path that fits, or null. */
    @Nullable List<String> arguments(List<String> path) {
      if (path.size() != pattern.size()) {
        return null;
      }
      List<String> arguments = new ArrayList<>();
      for (int i = 0; i < pattern.size(); i++) {
        if (pattern.get(i).startsWith("{")) {
          arguments.add(path.get(i));
        } else if (!pattern.get(i).equals(path.get(i))) {
          return null;
        }
      }
      return arguments;
    }
  }

  private final Connections connections;
  private final List<Route> routes = new ArrayList<>();

  Routes(Connections connections) {
    this.connections = connections;
  }

  /** Adds a route; parts of the path in braces are left open. */
  Routes add(HttpMethod method, String path, Handler handler) {
    routes.add(new Route(method, List.of(path.substring(1).split("/", -1)), handler));
    return this;
  }

  @Override
  public HttpResponse serve(ServiceRequestContext context, HttpRequest request) {
    try {
      List<String> path = Path.segments(withoutQuery(context.rawPath()));
      HttpMethod method = request.method() == HttpMethod.HEAD ? HttpMethod.GET : request.method();
      for (Route route : routes) {
        List<String> arguments = route.arguments(path);
        if (arguments != null && route.method == method) {
          return HttpResponse.of(handle(context, request, route, arguments));
        }
      }
      Set<String> allowed = allowed(route -> route.arguments(path) != null);
      return allowed.isEmpty()
          ? Answers.problem(HttpProblems.of(HttpStatus.NOT_FOUND))
          : notAllowed(request.method().name(), String.join(", ", allowed));
    } catch (ProblemException problem) {
      return Answers.failure(problem);
    }
  }

  private Set<String> allowed(Predicate<Route> which) {
    TreeSet<String> allowed = new TreeSet<>();
    for (Route route : routes) {
      if (which.test(route)) {
        allowed.add(route.method.name());
        if (route.method == HttpMethod.GET) {
          allowed.add(HttpMethod.HEAD.name());
        }
      }
    }
    return allowed;
  }

  /** What {@code Allow} says of a path; all methods that there are where no route is. */
  String allowed(String rawPath) {
    Set<String> here = Set.of();
    try {
      List<String> path = Path.segments(withoutQuery(rawPath));
      here = allowed(route -> route.arguments(path) != null);
    } catch (ProblemException noPath) {
      // Then it is no route's.
    }
    return String.join(", ", here.isEmpty() ? allowed(route -> true) : here);
  }

  private static String withoutQuery(String raw) {
    int end = raw.indexOf('?');
    return end < 0 ? raw : raw.substring(0, end);
  }

  private CompletableFuture<HttpResponse> handle(
      ServiceRequestContext context, HttpRequest request, Route route, List<String> arguments) {
    if (route.method == HttpMethod.POST && !isJson(request)) {
      throw notJson();
    }
    return request
        .aggregate()
        .thenCompose(whole -> answer(route, new Call(context, whole, arguments)))
        .exceptionally(Answers::failure)
        .whenComplete((answer, never) -> connections.askToLeave(context));
  }

  private static CompletionStage<HttpResponse> answer(Route route, Call call) {
    return route.handler.handle(call);
  }

  static ProblemException notJson() {
    return new ProblemException(
        Problem.of(415, "Unsupported Media Type", "body: must be application/json"));
  }

  static boolean isJson(HttpRequest request) {
    MediaType type = request.contentType();
    boolean absent = !request.headers().contains(HttpHeaderNames.CONTENT_TYPE);
    return absent || (type != null && type.isJson());
  }

  static HttpResponse notAllowed(String method, String allowed) {
    return Answers.problem(
        HttpProblems.notAllowed(method, allowed), HttpHeaderNames.ALLOW, allowed);
  }
}

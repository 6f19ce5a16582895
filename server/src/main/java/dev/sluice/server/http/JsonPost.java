package dev.sluice.server.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.CompletionStage;

/**
 * A path of another protocol that takes POSTs of JSON only. Refuses what is no such thing as the
 * routes here do, and answers failures as they do.
 */
public abstract class JsonPost implements HttpService {
  private final int deepest;

  /** Takes objects and lists that lie at most so many deep. */
  protected JsonPost(int deepest) {
    this.deepest = deepest;
  }

  /**
   * Answers one JSON object, in which each member is there once.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  protected abstract CompletionStage<HttpResponse> answer(String json);

  @Override
  public final HttpResponse serve(ServiceRequestContext context, HttpRequest request) {
    if (request.method() != HttpMethod.POST) {
      return Routes.notAllowed(request.method().name(), HttpMethod.POST.name());
    }
    if (!Routes.isJson(request) && !isForm(request)) {
      return Answers.failure(Routes.notJson());
    }
    return HttpResponse.of(
        request.aggregate().thenCompose(this::read).exceptionally(Answers::failure));
  }

  private CompletionStage<HttpResponse> read(AggregatedHttpRequest request) {
    return answer(JsonBody.strict(request.content().array(), deepest));
  }

  /** What {@code curl -d} says of anything. */
  private static boolean isForm(HttpRequest request) {
    MediaType type = request.contentType();
    return type != null && type.is(MediaType.FORM_DATA);
  }
}

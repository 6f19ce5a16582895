package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import dev.sluice.Sluice;
import java.util.concurrent.CompletionStage;

/** {@code /v1/leases}: permits that are held until released. */
final class LeaseRoutes {
  private final Sluice sluice;

  LeaseRoutes(Sluice sluice) {
    this.sluice = sluice;
  }

  void attach(Routes routes) {
    routes.add(HttpMethod.DELETE, "/v1/leases/{id}", this::release);
  }

  private CompletionStage<HttpResponse> release(Call call) {
    call.query();
    return sluice
        .releaseAsync(call.argument(0))
        .thenApply(held -> Answers.json(200, json -> json.writeBooleanProperty("released", held)));
  }
}

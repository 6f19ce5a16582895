package dev.sluice.server.http;

import com.linecorp.armeria.common.AggregatedHttpRequest;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * One request on its way through a route.
 *
 * @param arguments the parts of the path that the route leaves open, in order
 */
record Call(ServiceRequestContext context, AggregatedHttpRequest request, List<String> arguments) {
  String argument(int i) {
    return arguments.get(i);
  }

  Query query(String... known) {
    return new Query(context.query(), List.of(known));
  }

  JsonBody body(String... known) {
    return JsonBody.parse(request.content().array(), known);
  }

  /** Runs what may wait for the store away from the event loop. */
  <T> CompletableFuture<T> blocking(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, context.blockingTaskExecutor());
  }
}

package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpMethod;
import com.linecorp.armeria.common.HttpResponse;
import dev.sluice.Reservation;
import dev.sluice.Settled;
import dev.sluice.Sluice;
import dev.sluice.http.DecisionJson;
import dev.sluice.http.Problem;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** {@code /v1/reservations}: for costs that are known only afterwards. */
final class ReservationRoutes {
  private static final long DEFAULT_TTL_MILLIS = 60_000;

  private final Sluice sluice;

  ReservationRoutes(Sluice sluice) {
    this.sluice = sluice;
  }

  void attach(Routes routes) {
    routes
        .add(HttpMethod.POST, "/v1/reservations", this::reserve)
        .add(HttpMethod.POST, "/v1/reservations/{id}/commit", this::commit)
        .add(HttpMethod.DELETE, "/v1/reservations/{id}", this::cancel);
  }

  private CompletionStage<HttpResponse> reserve(Call call) {
    call.query();
    JsonBody body = call.body("policy", "key", "cost", "maxWaitMillis", "ttlMillis");
    String policy = body.text("policy");
    String key = body.text("key");
    long cost = body.number("cost", 1);
    Duration maxWait = body.millis("maxWaitMillis", 0, 0);
    Duration ttl = body.millis("ttlMillis", 1, DEFAULT_TTL_MILLIS);
    return Limiters.named(sluice, policy)
        .reserveAsync(key, cost, maxWait, ttl)
        .thenApply(ReservationRoutes::answer);
  }

  private static HttpResponse answer(Reservation reservation) {
    if (!reservation.allowed()) {
      return Answers.decision(reservation.decision(), 429);
    }
    return Answers.reserved(
        json -> {
          json.writeStringProperty("id", reservation.id());
          DecisionJson.writeMembers(reservation.decision(), json);
        },
        reservation.decision());
  }

  private CompletionStage<HttpResponse> commit(Call call) {
    call.query();
    String id = call.argument(0);
    long cost = call.body("cost").number("cost");
    return sluice
        .settleAsync(id, cost)
        .thenApply(
            settled -> {
              if (settled == Settled.UNKNOWN) {
                throw new ProblemException(
                    Problem.notFound("no such reservation; it may have expired"));
              }
              if (settled == Settled.OTHERWISE) {
                throw new ProblemException(
                    Problem.of(
                        409, "Conflict", "the reservation was settled before, with another cost"));
              }
              return answer("committed", settled);
            });
  }

  /** Never an error, so that whoever is not sure may always cancel. */
  private CompletionStage<HttpResponse> cancel(Call call) {
    call.query();
    return sluice
        .settleAsync(call.argument(0), 0)
        .thenApply(settled -> answer("cancelled", settled));
  }

  private static HttpResponse answer(String done, Settled settled) {
    return Answers.json(200, json -> json.writeBooleanProperty(done, settled == Settled.AS_ASKED));
  }
}

package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.server.ServerOptions;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code /v1/reservations}. */
class ReservationsTest extends ThreePolicies {
  @Test
  void reservationIsSettledWithItsActualCost() {
    HttpResponse<String> made =
        caller.post("/v1/reservations", "{\"policy\":\"b\",\"key\":\"k\",\"cost\":3}");
    assertThat(made.statusCode()).isEqualTo(201);
    String id = (String) Doc.of(made).get("id");
    assertThat(Doc.number(Doc.of(made), "waitMillis")).isZero();
    assertThat(left("b", "k")).isZero();
    for (int repeated = 0; repeated < 2; repeated++) {
      HttpResponse<String> committed =
          caller.post("/v1/reservations/%s/commit".formatted(id), "{\"cost\":1}");
      assertThat(committed.statusCode()).isEqualTo(200);
      assertThat(committed.body()).isEqualTo("{\"committed\":true}");
      assertThat(left("b", "k")).isEqualTo(2);
    }
  }

  @Test
  void cancelledReservationGivesEverythingBack() {
    Map<String, Object> made =
        Doc.of(caller.post("/v1/reservations", "{\"policy\":\"b\",\"key\":\"k\",\"cost\":2}"));
    for (int repeated = 0; repeated < 2; repeated++) {
      HttpResponse<String> cancelled = caller.delete("/v1/reservations/" + made.get("id"));
      assertThat(cancelled.statusCode()).isEqualTo(200);
      assertThat(cancelled.body()).isEqualTo("{\"cancelled\":true}");
      assertThat(left("b", "k")).isEqualTo(3);
    }
  }

  @Test
  void reservationThatTookNothingIsSettledAtOnce() {
    ServerOptions away = new ServerOptions().store("redis://127.0.0.1:1");
    try (Caller outage = Caller.of(away)) {
      HttpResponse<String> made =
          outage.post("/v1/reservations", "{\"policy\":\"demo\",\"key\":\"k\"}");
      assertThat(made.statusCode()).isEqualTo(201);
      assertThat(Doc.of(made)).containsEntry("id", "none").containsEntry("degraded", true);
      for (int repeated = 0; repeated < 2; repeated++) {
        assertThat(outage.post("/v1/reservations/none/commit", "{\"cost\":7}").body())
            .isEqualTo("{\"committed\":true}");
        assertThat(outage.delete("/v1/reservations/none").body()).isEqualTo("{\"cancelled\":true}");
      }
    }
  }

  @Test
  void settledReservationCannotBeSettledOtherwise() {
    String reserve = "{\"policy\":\"b\",\"key\":\"k\",\"cost\":2}";
    Object committed = Doc.of(caller.post("/v1/reservations", reserve)).get("id");
    String commit = "/v1/reservations/%s/commit".formatted(committed);
    String settled = "the reservation was settled before, with another cost";
    assertThat(caller.post(commit, "{\"cost\":1}").statusCode()).isEqualTo(200);
    MistakesTest.assertProblem(caller.post(commit, "{\"cost\":2}"), 409, settled);
    assertThat(caller.delete("/v1/reservations/" + committed).body())
        .isEqualTo("{\"cancelled\":false}");
    assertThat(left("b", "k")).isEqualTo(2);

    Object cancelled = Doc.of(caller.post("/v1/reservations", reserve)).get("id");
    commit = "/v1/reservations/%s/commit".formatted(cancelled);
    assertThat(caller.delete("/v1/reservations/" + cancelled).statusCode()).isEqualTo(200);
    MistakesTest.assertProblem(caller.post(commit, "{\"cost\":2}"), 409, settled);
    assertThat(left("b", "k")).isEqualTo(2);
  }

  @Test
  void reservationBooksAPlaceUpToItsLongestWait() {
    String later =
        "{\"policy\":\"slow\",\"key\":\"k\",\"maxWaitMillis\":15000,\"ttlMillis\":60000}";
    assertThat(Doc.number(Doc.of(caller.post("/v1/reservations", later)), "waitMillis")).isZero();
    HttpResponse<String> second = caller.post("/v1/reservations", later);
    assertThat(second.statusCode()).isEqualTo(201);
    assertThat(Doc.number(Doc.of(second), "waitMillis")).isBetween(5_000L, 10_000L);
    HttpResponse<String> third = caller.post("/v1/reservations", later);
    assertThat(third.statusCode()).isEqualTo(429);
    assertThat(Doc.of(third)).doesNotContainKey("id");
  }

  @Test
  void unknownReservationIsNotFoundAndNonsenseIsABadRequest() {
    Map<String, Object> made =
        Doc.of(caller.post("/v1/reservations", "{\"policy\":\"b\",\"key\":\"k\"}"));
    String id = (String) made.get("id");
    String other = id.substring(0, id.length() - 1) + (id.endsWith("A") ? "Q" : "A");
    MistakesTest.assertProblem(
        caller.post("/v1/reservations/%s/commit".formatted(other), "{\"cost\":1}"),
        404,
        "no such reservation; it may have expired");
    assertThat(caller.delete("/v1/reservations/" + other).body())
        .isEqualTo("{\"cancelled\":false}");
    MistakesTest.assertProblem(
        caller.delete("/v1/reservations/x"),
        400,
        "reservation must be an id as it was given out, got 'x'");
    MistakesTest.assertProblem(
        caller.delete("/v1/leases/x"), 400, "lease must be an id as it was given out, got 'x'");
    MistakesTest.assertProblem(
        caller.post("/v1/reservations/%s/commit".formatted(id), "{}"),
        400,
        "member 'cost': is missing");
  }
}

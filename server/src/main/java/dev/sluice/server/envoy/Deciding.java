package dev.sluice.server.envoy;

import dev.sluice.Decision;
import dev.sluice.PolicyCheck;
import dev.sluice.Sluice;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The descriptors of one request, decided together: all are charged, or none.
 *
 * <p>What is given back is given back first, whatever comes of the rest. Those that only look are
 * looked at then, and rules that never let anything pass need no store: if one of them says no, the
 * rest is only looked at. Quota rules say no together: the request is tried with each of them in
 * turn, until one has room.
 */
final class Deciding {
  private final Sluice sluice;
  private final List<Asked> all;
  private final List<Asked> looks = new ArrayList<>();
  private final List<Asked> strict = new ArrayList<>();
  private final List<Asked> quotas = new ArrayList<>();
  private boolean quotaHasRoom;
  private boolean denied;

  Deciding(Sluice sluice, List<Asked> all) {
    this.sluice = sluice;
    this.all = all;
  }

  CompletableFuture<RateLimitResponse> run() {
    List<CompletableFuture<Decision>> refunds = new ArrayList<>();
    for (Asked asked : all) {
      if (asked.isLimited() && asked.isRefund()) {
        refunds.add(refund(asked));
      } else if (asked.isLimited() && asked.isLook()) {
        looks.add(asked);
      } else if (asked.isLimited() && !asked.isQuota()) {
        strict.add(asked);
      } else if (asked.isLimited()) {
        quotas.add(asked);
      }
    }
    return allOf(refunds)
        .thenCompose(refunded -> allOf(looks.stream().map(this::look).toList()))
        .thenCompose(looked -> charge())
        .thenApply(charged -> response());
  }

  private CompletableFuture<Void> charge() {
    boolean anyQuota = false;
    for (Asked asked : all) {
      anyQuota |= asked.isQuota();
      boolean settled = !asked.isLimited() || asked.isLook() || asked.isRefund();
      denied |= settled && !asked.isQuota() && asked.isOver();
      quotaHasRoom |= settled && asked.isQuota() && !asked.isOver();
    }
    if (!anyQuota) {
      quotaHasRoom = true;
    }
    if (denied || (!quotaHasRoom && quotas.isEmpty())) {
      denied = true;
      return lookAtTheRest();
    }
    return quotaHasRoom ? together(strict).thenCompose(this::afterStrict) : tryQuota(0);
  }

  /** Tries the request with one of its quota rules; on its denial alone, with the next. */
  private CompletableFuture<Void> tryQuota(int i) {
    if (i == quotas.size()) {
      denied = true;
      return lookAtTheRest();
    }
    Asked quota = quotas.get(i);
    List<Asked> attempt = new ArrayList<>(strict);
    attempt.add(quota);
    return together(attempt)
        .thenCompose(
            passed -> {
              if (passed) {
                quotaHasRoom = true;
                return afterStrict(true);
              }
              boolean byQuotaAlone = strict.stream().noneMatch(Asked::isOver);
              return byQuotaAlone ? tryQuota(i + 1) : afterStrict(false);
            });
  }

  /** Quota rules that were not part of the decision are charged on their own, if they have room. */
  private CompletableFuture<Void> afterStrict(boolean passed) {
    if (!passed) {
      denied = true;
      return lookAtTheRest();
    }
    List<CompletableFuture<Decision>> rest = new ArrayList<>();
    for (Asked quota : quotas) {
      if (!quota.isDecided()) {
        rest.add(acquire(quota));
      }
    }
    return allOf(rest);
  }

  private CompletableFuture<Void> lookAtTheRest() {
    List<CompletableFuture<Decision>> rest = new ArrayList<>();
    for (Asked asked : all) {
      if (asked.isLimited() && !asked.isDecided()) {
        rest.add(look(asked));
      }
    }
    return allOf(rest);
  }

  private CompletableFuture<Decision> acquire(Asked asked) {
    return sluice
        .unlisted(asked.policy())
        .tryAcquireAsync(asked.key(), asked.cost())
        .thenApply(asked::decided);
  }

  private CompletableFuture<Decision> look(Asked asked) {
    return sluice
        .unlisted(asked.policy())
        .peekAsync(asked.key(), asked.cost())
        .thenApply(asked::decided);
  }

  private CompletableFuture<Decision> refund(Asked asked) {
    return sluice
        .unlisted(asked.policy())
        .refundAsync(asked.key(), asked.cost())
        .thenApply(asked::decided);
  }

  private CompletableFuture<Boolean> together(List<Asked> attempt) {
    if (attempt.isEmpty()) {
      return CompletableFuture.completedFuture(true);
    }
    if (attempt.size() == 1) {
      // The short way, which on Redis shares its calls with others.
      return acquire(attempt.get(0)).thenApply(Decision::allowed);
    }
    List<PolicyCheck> checks = attempt.stream().map(Asked::check).toList();
    return sluice
        .decideTogetherAsync(checks)
        .thenApply(
            decisions -> {
              for (int i = 0; i < decisions.size(); i++) {
                attempt.get(i).decided(decisions.get(i));
              }
              return decisions.stream().allMatch(Decision::allowed);
            });
  }

  private static CompletableFuture<Void> allOf(List<CompletableFuture<Decision>> pending) {
    return CompletableFuture.allOf(pending.toArray(CompletableFuture[]::new));
  }

  private RateLimitResponse response() {
    RateLimitResponse.Builder response =
        RateLimitResponse.newBuilder().setOverallCode(denied ? Code.OVER_LIMIT : Code.OK);
    for (Asked asked : all) {
      response.addStatuses(asked.status());
      Match match = asked.match();
      if (match != null && !asked.isOver() && match.rule().metadata().getFieldsCount() > 0) {
        response.getDynamicMetadataBuilder().mergeFrom(match.rule().metadata());
      }
    }
    return response.build();
  }
}

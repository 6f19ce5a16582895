package dev.sluice.redis;

import dev.sluice.redis.RedisAddress.Node;
import dev.sluice.redis.Transport.Form;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A call that goes from node to node of a cluster until one answers for its slot: follows MOVED and
 * ASK, which say that it did not run.
 */
final class Redirected extends CompletableFuture<List<Object>> {
  // Nodes disagree for a moment while a slot changes hands: after so many it is tried again later.
  private static final int MOST_REDIRECTIONS = 5;

  private final Call call;
  private final Form form;
  private final int slot;
  private final ClusterWatch watch;
  private final ClusterLinks links;
  private int redirections;
  private volatile @Nullable CompletableFuture<List<Object>> sent;

  private Redirected(Call call, Form form, int slot, ClusterWatch watch, ClusterLinks links) {
    this.call = call;
    this.form = form;
    this.slot = slot;
    this.watch = watch;
    this.links = links;
  }

  /** Sends a call to the node that is known to serve its slot. */
  static Redirected send(
      Call call, Form form, int slot, Node node, ClusterWatch watch, ClusterLinks links) {
    Redirected reply = new Redirected(call, form, slot, watch, links);
    reply.follow(node, links.to(node).send(call, form));
    return reply;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the outcome is this
  private void follow(Node node, CompletableFuture<List<Object>> reply) {
    sent = reply;
    reply.whenComplete(
        (answer, failure) -> {
          if (failure == null) {
            complete(answer);
          } else {
            redirect(node, LettuceCall.of(failure, RedisFailure.LOST));
          }
        });
  }

  private void redirect(Node node, TransportException problem) {
    RedisFailure failure = problem.failure();
    boolean moved = failure == RedisFailure.MOVED;
    Node target =
        moved || failure == RedisFailure.ASK
            ? ClusterSlots.target(problem.getMessage(), node)
            : null;
    if (target == null || isDone()) {
      completeExceptionally(problem);
      return;
    }
    if (++redirections > MOST_REDIRECTIONS) {
      completeExceptionally(
          new TransportException(
              RedisFailure.TRYAGAIN, "nodes disagree: " + problem.getMessage(), problem));
      return;
    }
    if (moved) {
      watch.slots().put(slot, target);
    }
    Link link = links.to(target);
    if (link.connected()) {
      resend(target, link, moved);
    } else {
      CompletableFuture<?> unused =
          link.connect()
              .whenComplete(
                  (done, unreachable) -> {
                    if (unreachable == null && !isDone()) {
                      resend(target, link, moved);
                    } else {
                      completeExceptionally(problem);
                    }
                  });
    }
  }

  private void resend(Node target, Link link, boolean moved) {
    follow(target, moved ? link.send(call, form) : link.sendAsking(call, form));
  }

  @Override
  public boolean cancel(boolean mayInterrupt) {
    boolean cancelled = super.cancel(mayInterrupt);
    CompletableFuture<List<Object>> last = sent;
    if (last != null) {
      last.cancel(mayInterrupt);
    }
    return cancelled;
  }
}

package dev.sluice.server.resp;

import java.util.concurrent.CompletableFuture;

/** What a command gives: a reply that can be written, or one that is waited for. */
sealed interface Answer permits Reply, Answer.Later {
  /** A reply that is not there yet. The future never fails. */
  record Later(CompletableFuture<Reply> reply) implements Answer {}

  /** The reply of a future, or what its failure means; at once where it is complete. */
  static Answer of(CompletableFuture<Reply> reply) {
    CompletableFuture<Reply> safe = reply.exceptionally(Failure::reply);
    return safe.isDone() ? safe.join() : new Later(safe);
  }
}

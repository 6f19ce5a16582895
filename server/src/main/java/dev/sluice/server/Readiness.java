package dev.sluice.server;

/** Where the server stands between its first and its last request. Safe for use by many threads. */
public final class Readiness {
  /** What {@code /readyz} says. */
  public enum State {
    /** The rules are not loaded yet. */
    STARTING,
    /** Everything works. */
    READY,
    /** The store decides nothing; policies say what is answered. */
    DEGRADED,
    /** On the way out: what is in flight is finished. */
    DRAINING
  }

  private enum Phase {
    STARTING,
    SERVING,
    DRAINING
  }

  private volatile Phase phase = Phase.STARTING;
  private volatile boolean storeOut;

  void serving() {
    phase = Phase.SERVING;
  }

  void draining() {
    phase = Phase.DRAINING;
  }

  /** Remembers whether the store decided when it was last looked at. */
  void store(boolean reached) {
    storeOut = !reached;
  }

  /** The state now. */
  public State state() {
    return switch (phase) {
      case STARTING -> State.STARTING;
      case DRAINING -> State.DRAINING;
      case SERVING -> storeOut ? State.DEGRADED : State.READY;
    };
  }
}

package dev.sluice.algorithm;

/**
 * What an algorithm should answer, worked out in another way than the engine does, and without
 * regard for speed. Requests come in order of time.
 */
interface Oracle {
  /** Times are microseconds from now. */
  record Answer(boolean allowed, long remaining, long retry, long reset, long delay) {}

  Answer ask(long now, long cost);
}

package dev.sluice.server.resp;

/** Tells a connection to answer what has been asked, and to close. */
enum Drain {
  /** As soon as its client is silent. */
  WHEN_IDLE,
  /** Without another look at what comes in. */
  NOW
}

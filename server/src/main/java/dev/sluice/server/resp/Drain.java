package dev.sluice.server.resp;

/** Tells a connection to answer what has been asked, and to close. */
enum Drain {
  NOW
}

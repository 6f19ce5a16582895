/** Outgoing calls, kept within the limits of those who are called. */
module dev.sluice.client {
  requires transitive dev.sluice.http;
  requires transitive java.net.http;
  requires static transitive org.jspecify;

  exports dev.sluice.client;
}

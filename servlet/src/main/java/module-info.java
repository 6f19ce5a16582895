/** Sluice in servlet containers. */
module dev.sluice.servlet {
  requires transitive dev.sluice.http;
  requires transitive jakarta.servlet;
  requires static transitive org.jspecify;

  exports dev.sluice.servlet;
}

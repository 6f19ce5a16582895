/** Sluice at the edge of HTTP: keys from requests, rules, header dialects, problem documents. */
module dev.sluice.http {
  requires transitive dev.sluice.core;
  requires transitive tools.jackson.core;
  requires static transitive org.jspecify;

  exports dev.sluice.http;
}

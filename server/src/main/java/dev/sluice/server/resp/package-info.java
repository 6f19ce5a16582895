/**
 * The RESP port: what Redis clients speak. Owns the wire format, the order of replies and the
 * commands; decides nothing, and knows neither HTTP nor files.
 */
@org.jspecify.annotations.NullMarked
package dev.sluice.server.resp;

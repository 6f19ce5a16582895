/**
 * The HTTP API: routes that read a request, ask the limiter and write its answer. They decide
 * nothing, and never block an event loop.
 */
@NullMarked
package dev.sluice.server.http;

import org.jspecify.annotations.NullMarked;

package dev.sluice.servlet;

/** The filter in Jetty. */
class JettyFilterTest extends RateLimitFilterContract {
  @Override
  Container container() {
    return new JettyContainer();
  }
}

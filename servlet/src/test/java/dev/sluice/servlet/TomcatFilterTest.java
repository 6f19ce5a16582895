package dev.sluice.servlet;

/** The filter in Tomcat. */
class TomcatFilterTest extends RateLimitFilterContract {
  @Override
  Container container() {
    return new TomcatContainer();
  }
}

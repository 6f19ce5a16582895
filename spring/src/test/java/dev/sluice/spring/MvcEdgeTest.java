package dev.sluice.spring;

import org.springframework.boot.WebApplicationType;

/** Tomcat with Spring MVC. */
class MvcEdgeTest extends EdgeTest {
  MvcEdgeTest() {
    super(WebApplicationType.SERVLET);
  }
}

package dev.sluice.spring;

import org.springframework.boot.WebApplicationType;

/** Netty with Spring WebFlux. */
class WebFluxEdgeTest extends EdgeTest {
  WebFluxEdgeTest() {
    super(WebApplicationType.REACTIVE);
  }
}

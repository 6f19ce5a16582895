package dev.sluice.spring.testkit;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application without a line about limits: everything is in its properties. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@RestController
public class HelloApp {
  @GetMapping("/**")
  String hello() {
    return "hello";
  }
}

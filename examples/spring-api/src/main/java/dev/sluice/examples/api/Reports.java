package dev.sluice.examples.api;

import dev.sluice.spring.RateLimited;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What the API does. */
@RestController
class Reports {
  @GetMapping("/api/hello")
  String hello() {
    return "hello\n";
  }

  /** A report costs as much as it has pages. */
  @GetMapping("/api/report")
  @RateLimited(policy = "reports", cost = "#pages")
  public String report(@RequestParam(defaultValue = "1") int pages) {
    return "a report of " + pages + " pages\n";
  }
}

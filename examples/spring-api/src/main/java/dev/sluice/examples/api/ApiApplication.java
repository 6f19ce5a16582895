package dev.sluice.examples.api;

import dev.sluice.http.LimitRule;
import dev.sluice.http.LimitRules;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Starts the API. Its limits are in {@code application.yml}. */
@SpringBootApplication
public class ApiApplication {
  /** Made by Spring. */
  ApiApplication() {}

  /** Starts it. */
  public static void main(String[] args) {
    SpringApplication.run(ApiApplication.class, args);
  }

  /** Rules in code instead of properties, because the key needs the application's own data. */
  @Bean
  LimitRules rules(Customers customers) {
    return LimitRules.of(LimitRule.path("/api/**").check("api", customers::keyOf));
  }
}

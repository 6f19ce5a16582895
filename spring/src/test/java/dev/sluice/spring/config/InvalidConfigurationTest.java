package dev.sluice.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.spring.RateLimited;
import dev.sluice.spring.testkit.HelloApp;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application that cannot start says why in one paragraph, as a person would. */
@ExtendWith(OutputCaptureExtension.class)
class InvalidConfigurationTest {
  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of(
            "sluice.policies.api.limits[0]=ten a second",
            "Sluice cannot use 'sluice.policies.api.limits[0]' (\"sluice.policies.api.limits[0]\""
                + " from property source \"commandLineArgs\"): limit must look like '10/s' or"
                + " '240/h burst 20', got 'ten a second'.",
            "Correct it there; docs/spring.md of Sluice shows the words of every limit."),
        Arguments.of(
            "sluice.policies.api.limits[0].algorithm=token-bucket"
                + " sluice.policies.api.limits[0].permits=0"
                + " sluice.policies.api.limits[0].per=1s",
            "Sluice cannot use 'sluice.policies.api.limits[0]'"
                + " (\"sluice.policies.api.limits[0].algorithm\" from property source"
                + " \"commandLineArgs\"): limit 'token-bucket': permits must be from 1 to"
                + " 1099511627776, got 0.",
            "Correct it there; docs/spring.md of Sluice shows the words of every limit."),
        Arguments.of(
            "sluice.policies.api.limits[0].algorithm=token-bucket"
                + " sluice.policies.api.limits[0].permits=5"
                + " sluice.policies.api.limits[0].per=60",
            "per must be a number with ms, s, m, h or d, or for a fixed-window a calendar unit,"
                + " got '60'.",
            "Correct it there"),
        Arguments.of(
            "sluice.policies.api.limits[0].algorithm=concurrency"
                + " sluice.policies.api.limits[0].permits=5"
                + " sluice.policies.api.limits[0].per=1s",
            "limit 'concurrency': per is not for concurrency, whose permits are held for a lease,"
                + " got '1s'.",
            "Correct it there"),
        Arguments.of(
            "sluice.policies.api.limits[0].permits=5",
            "limit 'token-bucket': must have per.",
            "Correct it there"),
        Arguments.of(
            "sluice.policies.api.shadow=true",
            "policy 'api': must have from 1 to 16 limits, got 0.",
            "Correct it there"),
        Arguments.of(
            "sluice.policies.api.limits[0]=1/s sluice.policies.api.keys[a].deny=false",
            "Sluice cannot use 'sluice.policies.api.keys[a]'",
            "key pattern 'a': must have exactly one of limits, deny and unlimited, got 0."),
        Arguments.of(
            "sluice.rules[0].path=/a sluice.rules[0].policy=api",
            "Sluice cannot use 'sluice.rules' (\"sluice.rules[0].path\" from property source"
                + " \"commandLineArgs\"): rule '/a': unknown policy 'api'.",
            "Define the policy under sluice.policies, or correct its name in the rule."),
        Arguments.of(
            "sluice.policies.api.limits[0]=1/s sluice.rules[0].path=a sluice.rules[0].policy=api",
            "Sluice cannot use 'sluice.rules[0]'",
            "path pattern must begin with '/', got 'a'."),
        Arguments.of(
            "sluice.policies.api.limits[0]=1/s sluice.rules[0].path=/a sluice.rules[0].policy=api"
                + " sluice.rules[0].key=nobody",
            "key must be address, principal, claim:NAME",
            "got 'nobody'."),
        Arguments.of(
            "sluice.policies.api.limits[0]=1/s sluice.rules[0].path=/a sluice.rules[0].policy=api"
                + " sluice.rules[0].methods[0]=GET,POST",
            "Sluice cannot use 'sluice.rules[0]' (\"sluice.rules[0].methods[0]\" from property"
                + " source \"commandLineArgs\"): rule '/a': a method must be one name such as GET,"
                + " got 'GET,POST'.",
            "Correct it there; docs/spring.md of Sluice shows what a rule can say."),
        Arguments.of(
            "sluice.policies.api.limits[0]=1/s sluice.rules[0].path=/a sluice.rules[0].policy=api"
                + " sluice.rules[0].methods=",
            "rule '/a': methods must not be empty; without methods it holds for all.",
            "Correct it there; docs/spring.md of Sluice shows what a rule can say."),
        Arguments.of(
            "sluice.policies.api.limits[0]=1/s sluice.rules[0].path=/** sluice.rules[0].policy=api"
                + " sluice.rules[1].path=/a sluice.rules[1].policy=api",
            "rule '/a': must stand before rule '/**', which matches all its requests.",
            "Let the most specific rule stand first: the first that matches applies."),
        Arguments.of(
            "sluice.store=mysql://db",
            "Sluice cannot use 'sluice.store' (\"sluice.store\" from property source"
                + " \"commandLineArgs\"): store 'mysql:…': no store on the path understands this"
                + " address; redis needs sluice-redis.",
            "Use memory, application for the application's own Redis, or an address such as"
                + " redis://user:password@host:6379."),
        Arguments.of(
            "sluice.store-deadline=0s",
            "Sluice cannot use 'sluice.store-deadline' (\"sluice.store-deadline\" from property"
                + " source \"commandLineArgs\"): redis options: deadline must be positive and at"
                + " most 1 hour, got PT0S.",
            "Choose a time such as 20ms."),
        Arguments.of(
            "sluice.denials-held=1m",
            "Sluice cannot use 'sluice.denials-held' (\"sluice.denials-held\" from property source"
                + " \"commandLineArgs\"): redis options: denials held must be from 0 to 10"
                + " seconds, got PT1M.",
            "Choose a time such as 20ms, or 0 to ask every time."),
        Arguments.of(
            "management.endpoints.web.exposure.include=* sluice.top-keys=-1",
            "Sluice cannot use 'sluice.top-keys' (\"sluice.top-keys\" from property source"
                + " \"commandLineArgs\"): top keys must be from 0 to 1000, got -1.",
            "Choose how many keys of each policy are shown, 0 for none."),
        Arguments.of(
            "management.endpoints.web.exposure.include=* sluice.top-keys=500000000",
            "top keys must be from 0 to 1000, got 500000000.",
            "Choose how many keys of each policy are shown, 0 for none."),
        Arguments.of(
            "sluice.headers.dialects=x,github",
            "dialects 'x' and 'github': cannot be written side by side.",
            "Choose from ietf, ietf-06, ietf-07, x, github and none."),
        Arguments.of(
            "sluice.address.trusted-proxies=proxy.example",
            "Sluice cannot use 'sluice.address.trusted-proxies'",
            "Write addresses or ranges, such as 10.0.0.0/8."),
        Arguments.of(
            "sluice.polices.api.limits[0]=1/s sluice.rules.path=/a",
            "Description: Sluice knows no property 'sluice.polices.api.limits[0]'"
                + " (\"sluice.polices.api.limits[0]\" from property source \"commandLineArgs\")."
                + " Sluice knows no property 'sluice.rules.path' (\"sluice.rules.path\" from"
                + " property source \"commandLineArgs\").",
            "Action: Correct its name; docs/spring.md of Sluice shows every property. Rules and"
                + " limits are lists: a dash begins each in YAML, a number in properties, as in"
                + " sluice.rules[0].path."),
        Arguments.of(
            "sluice.policies.api.limits[0]=1/s sluice.policies.api.keys.ip:10.0.0.*.unlimted=true",
            "Sluice cannot use 'sluice.policies.api.keys.ip:10.0.0.*.unlimted': a key must have"
                + " limits, deny or unlimited.",
            "Correct it there; docs/spring.md of Sluice shows plans and exceptions."));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeIsExplained(
      String properties, String description, String action, CapturedOutput output) {
    assertThat(fail(HelloApp.class, List.of(properties.split(" (?=sluice)")), output))
        .contains(description, action);
  }

  @Test
  void noLocaleHidesThePlaceOfAMistake(CapturedOutput output) {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(
              fail(HelloApp.class, List.of("sluice.policies.api.limits[0]=ten a second"), output))
          .contains("(\"sluice.policies.api.limits[0]\" from property source \"commandLineArgs\")");
      assertThat(fail(HelloApp.class, List.of("sluice.rules[0].path=a"), output))
          .contains("(\"sluice.rules[0].path\" from property source \"commandLineArgs\")");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Orders {
    static class Service {
      @RateLimited(policy = "orders", key = "#user", fallback = "later")
      String order(String user) {
        return user;
      }
    }

    @Bean
    Service service() {
      return new Service();
    }
  }

  @Test
  void anAnnotationWithAnUnknownPolicyIsExplained(CapturedOutput output) {
    assertThat(fail(Orders.class, List.of(), output))
        .contains(
            "Sluice cannot use '@RateLimited on Service.order': unknown policy 'orders'.",
            "Define it under sluice.policies.orders.");
  }

  @Test
  void anAnnotationWithoutItsFallbackIsExplained(CapturedOutput output) {
    assertThat(fail(Orders.class, List.of("sluice.policies.orders.limits[0]=1/s"), output))
        .contains(
            "Sluice cannot use '@RateLimited on Service.order': fallback 'later' must be a method"
                + " of Service with the parameters (String) that returns String.",
            "Add it; it may take a RateLimitExceededException as one more parameter.");
  }

  @EnableAutoConfiguration
  static class MisspeltKey {
    @RateLimited(policy = "orders", key = "'user:' + #usr.length()")
    String order(String user, List<String> items) {
      return user;
    }
  }

  @EnableAutoConfiguration
  static class MisspeltCost {
    @RateLimited(policy = "orders", cost = "#items.?[#this != #usr].size()")
    String order(String user, List<String> items) {
      return user;
    }
  }

  @EnableAutoConfiguration
  static class WrongPosition {
    @RateLimited(policy = "orders", key = "#a2")
    String order(String user, List<String> items) {
      return user;
    }
  }

  @EnableAutoConfiguration
  static class UnknownFunction {
    @RateLimited(policy = "orders", key = "#hash('a')")
    String order() {
      return "";
    }
  }

  @EnableAutoConfiguration
  @RateLimited(policy = "orders", key = "#usr")
  static class WholeClass {
    public String order(String user) {
      return user;
    }
  }

  @EnableAutoConfiguration
  static class CostsNothing {
    @RateLimited(policy = "orders", cost = "0")
    String order() {
      return "";
    }
  }

  @EnableAutoConfiguration
  static class CostsLess {
    @RateLimited(policy = "orders", cost = "-1")
    String order() {
      return "";
    }
  }

  @EnableAutoConfiguration
  static class CostsTooMuch {
    @RateLimited(policy = "orders", cost = "1099511627777L")
    String order() {
      return "";
    }
  }

  static Stream<Arguments> annotations() {
    String name = "Correct the name; it is that of a parameter, or its position.";
    String cost = "Write what a call costs, such as 5 or #items.size().";
    String range = "must be a whole number from 1 to 1099511627776.";
    return Stream.of(
        Arguments.of(
            MisspeltKey.class,
            "key ''user:' + #usr.length()': variable must be one of #user, #items, #p0, #p1, #root,"
                + " #this, got #usr.",
            name),
        Arguments.of(
            MisspeltCost.class,
            "cost '#items.?[#this != #usr].size()': variable must be one of #user, #items, #p0,"
                + " #p1, #root, #this, got #usr.",
            name),
        Arguments.of(
            WrongPosition.class,
            "key '#a2': variable must be one of #user, #items, #p0, #p1, #root, #this, got #a2.",
            name),
        Arguments.of(
            UnknownFunction.class,
            "key '#hash('a')': variable must be one of #root, #this, got #hash.",
            name),
        Arguments.of(
            WholeClass.class,
            "key '#usr': variable must be one of #user, #p0, #root, #this, got #usr.",
            name),
        Arguments.of(CostsNothing.class, "cost '0' " + range, cost),
        Arguments.of(CostsLess.class, "cost '-1' " + range, cost),
        Arguments.of(CostsTooMuch.class, "cost '1099511627777L' " + range, cost));
  }

  @ParameterizedTest
  @MethodSource("annotations")
  void aMistakeInAnAnnotationIsExplained(
      Class<?> app, String problem, String action, CapturedOutput output) {
    assertThat(fail(app, List.of("sluice.policies.orders.limits[0]=1/s"), output))
        .contains(
            "Sluice cannot use '@RateLimited on %s.order': %s"
                .formatted(app.getSimpleName(), problem),
            action);
  }

  /** Starts an application that must not start; answers what it prints, on one line. */
  private static String fail(Class<?> app, List<String> properties, CapturedOutput output) {
    String[] arguments =
        Stream.concat(Stream.of("spring.main.banner-mode=off"), properties.stream())
            .map(property -> "--" + property)
            .toArray(String[]::new);
    try {
      new SpringApplicationBuilder(app).web(WebApplicationType.NONE).run(arguments).close();
    } catch (RuntimeException failed) {
      String text = output.getAll().replaceAll("\\s+", " ");
      int analysis = text.indexOf("APPLICATION FAILED TO START");
      assertThat(analysis).as("no analysis of %s", failed).isNotNegative();
      return text.substring(analysis);
    }
    throw new AssertionError("the application started with " + Arrays.toString(arguments));
  }
}

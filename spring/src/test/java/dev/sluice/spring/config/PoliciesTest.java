package dev.sluice.spring.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.OnStoreFailure;
import dev.sluice.Policy;
import dev.sluice.Sluice;
import dev.sluice.spring.autoconfigure.SluiceAutoConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ClassPathResource;

/** The words of a policies file mean the same in {@code application.yml}. */
class PoliciesTest {
  private static void withPolicies(Consumer<Sluice> test) {
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
        .withInitializer(PoliciesTest::load)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              test.accept(context.getBean(Sluice.class));
            });
  }

  private static void load(ConfigurableApplicationContext context) {
    try {
      new YamlPropertySourceLoader()
          .load("policies", new ClassPathResource("policies.yml", PoliciesTest.class))
          .forEach(context.getEnvironment().getPropertySources()::addFirst);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static Policy policy(Sluice sluice, String name) {
    return sluice.limiter(name).orElseThrow().policy();
  }

  @Test
  void theFileOfTheContractIsUnderstood() {
    withPolicies(
        sluice -> {
          Policy api = policy(sluice, "api");
          assertThat(api.limits())
              .hasToString(
                  "[burst: token-bucket 10 per 1s, burst 20,"
                      + " hourly: sliding-window 240 per 1h, precision 1m]");
          assertThat(api.onStoreFailure()).isEqualTo(OnStoreFailure.LOCAL);
          assertThat(api.nodes()).isEqualTo(4);
          assertThat(api.deadline()).hasValue(Duration.ofMillis(20));
          assertThat(policy(sluice, "payments-pg1").limits())
              .hasToString("[sliding-log: sliding-log 100 per 1s]");
        });
  }

  /** Boot alone would read {@code planpro}, {@code userblocked} and {@code ip.10.0.0}. */
  @Test
  void keyPatternsKeepTheirCharactersAndTheirOrder() {
    withPolicies(
        sluice ->
            assertThat(policy(sluice, "api").keys())
                .hasToString(
                    "['plan:pro:*' -> [burst: token-bucket 100 per 1s], 'user:blocked' -> DENY,"
                        + " 'ip:10.0.0.*' -> UNLIMITED,"
                        + " 'plan:*' -> [token-bucket: token-bucket 5 per 1s]]"));
  }

  /** As YAML, properties and Boot's own documents write a name with other signs than letters. */
  @ParameterizedTest
  @ValueSource(strings = {"my_api", "[my_api]", ".[my_api]"})
  void theKeysOfAPolicyAreFoundHoweverItsNameIsWritten(String written) {
    String policy = "sluice.policies" + (written.startsWith("m") ? "." : "") + written;
    new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
        .withPropertyValues(policy + ".limits[0]=1/s", policy + ".keys[blocked*].deny=true")
        .run(
            context ->
                assertThat(policy(context.getBean(Sluice.class), "my_api").keys())
                    .hasToString("['blocked*' -> DENY]"));
  }

  private static ApplicationContextRunner withVariables(Map<String, Object> variables) {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(SluiceAutoConfiguration.class))
        .withInitializer(
            context ->
                context
                    .getEnvironment()
                    .getPropertySources()
                    .addFirst(new SystemEnvironmentPropertySource("systemEnvironment", variables)));
  }

  @Test
  void limitsMayComeFromVariables() {
    withVariables(Map.of("SLUICE_POLICIES_API_LIMITS_0", "7/s"))
        .run(
            context ->
                assertThat(policy(context.getBean(Sluice.class), "api").limits())
                    .hasToString("[token-bucket: token-bucket 7 per 1s]"));
  }

  /** Boot would make {@code user42} of it, and nobody would hear that {@code USER:42} passes. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SLUICE_POLICIES_API_KEYS_USER42_DENY",
        "sluice_policies_api_keys_user42_deny",
        "SLUICE_POLICIES_MY_API_KEYS_USER42_DENY"
      })
  void variablesCannotNameKeys(String name) {
    withVariables(Map.of("SLUICE_POLICIES_API_LIMITS_0", "7/s", name, "true"))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining(
                        name + ": the name of a variable cannot hold a key pattern"));
  }

  @Test
  void variableOfBootMayHoldKeys() {
    String json =
        "{\"sluice\":{\"policies\":{\"api\":{\"limits\":[\"7/s\"],"
            + "\"keys\":{\"ip:10.0.0.*\":{\"unlimited\":true}}}}}}";
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(SluiceAutoConfiguration.class)
            .web(WebApplicationType.NONE)
            .run("--spring.application.json=" + json, "--spring.main.banner-mode=off")) {
      assertThat(policy(context.getBean(Sluice.class), "api").keys())
          .hasToString("['ip:10.0.0.*' -> UNLIMITED]");
    }
  }

  @Test
  void limitsMayBeShort() {
    withPolicies(
        sluice -> {
          assertThat(policy(sluice, "short").limits())
              .hasToString(
                  "[token-bucket: token-bucket 10 per 1s,"
                      + " token-bucket-2: token-bucket 240 per 1h, burst 20]");
          assertThat(policy(sluice, "one").limits())
              .hasToString("[token-bucket: token-bucket 7 per 5s]");
        });
  }

  @Test
  void everyAlgorithmHasItsExtras() {
    withPolicies(
        sluice ->
            assertThat(policy(sluice, "others").limits())
                .extracting(Object::toString)
                .containsExactly(
                    "a: token-bucket 5 per 250ms, initial 2, refill interval",
                    "b: token-bucket 5 per 1d, borrow",
                    "c: fixed-window 5 per 5m, align first-request",
                    "d: fixed-window 5 per 1m, align first-request",
                    "e: fixed-window 5 per month in Europe/Paris",
                    "f: leaky-bucket 5 per 1s, queue 3",
                    "g: concurrency 5 held, lease 30s",
                    "h: concurrency 5 held, lease 1m"));
  }
}

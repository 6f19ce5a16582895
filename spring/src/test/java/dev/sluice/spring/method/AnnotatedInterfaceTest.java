package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.spring.RateLimitExceededException;
import dev.sluice.spring.RateLimited;
import dev.sluice.spring.autoconfigure.RateLimitedAutoConfiguration;
import dev.sluice.spring.autoconfigure.SluiceAutoConfiguration;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An annotation of an interface names the parameters of the interface, whoever implements it. */
class AnnotatedInterfaceTest {
  interface Greeter {
    String greet(String user);
  }

  interface OneMethod extends Greeter {
    @Override
    @RateLimited(policy = "one", key = "#user")
    String greet(String user);
  }

  @RateLimited(policy = "one", key = "#user")
  interface Whole extends Greeter {
    @Override
    String greet(String user);
  }

  static class OtherNames implements OneMethod {
    @Override
    public String greet(String somebody) {
      return "hello " + somebody;
    }
  }

  /** What HTTP interface clients are: an interface, and nothing behind it but advice. */
  private static <T> T client(Class<T> type) {
    MethodInterceptor call = invocation -> "hello " + invocation.getArguments()[0];
    return type.cast(ProxyFactory.getProxy(type, call));
  }

  static Stream<Named<Greeter>> greeters() {
    OneMethod oneMethod = user -> "hello " + user;
    Whole whole = user -> "hello " + user;
    return Stream.of(
        Named.of("a class with other names", new OtherNames()),
        Named.of("a lambda", oneMethod),
        Named.of("a lambda of an annotated type", whole),
        Named.of("a client", client(OneMethod.class)),
        Named.of("a client of an annotated type", client(Whole.class)));
  }

  @ParameterizedTest
  @MethodSource("greeters")
  void itsParametersHaveTheNamesThatStandThere(Greeter greeter) {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                SluiceAutoConfiguration.class, RateLimitedAutoConfiguration.class))
        .withPropertyValues("sluice.policies.one.limits[0]=1/h")
        .withBean(Greeter.class, () -> greeter)
        .run(
            context -> {
              Greeter limited = context.getBean(Greeter.class);
              assertThat(limited.greet("ada")).isEqualTo("hello ada");
              assertThatThrownBy(() -> limited.greet("ada"))
                  .isInstanceOf(RateLimitExceededException.class);
              assertThat(limited.greet("bob")).isEqualTo("hello bob");
              assertThat(context.getBean(Sluice.class).limiter("one").orElseThrow().peek("ada"))
                  .matches(decision -> !decision.allowed());
            });
  }
}

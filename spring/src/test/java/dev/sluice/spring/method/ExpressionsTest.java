package dev.sluice.spring.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.Sluice;
import dev.sluice.spring.InvalidCallException;
import dev.sluice.spring.RateLimitExceededException;
import dev.sluice.spring.RateLimited;
import dev.sluice.spring.autoconfigure.RateLimitedAutoConfiguration;
import dev.sluice.spring.autoconfigure.SluiceAutoConfiguration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.expression.spel.SpelEvaluationException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Keys and costs as expressions: what they see, and calls that give them nothing. */
class ExpressionsTest {
  static class Tenants {
    public String current() {
      return "acme";
    }
  }

  record User(String id) {}

  record Order(User user) {}

  static class Calls {
    private final AtomicInteger made = new AtomicInteger();

    public int made() {
      return made.get();
    }

    @RateLimited(policy = "one", key = "#user")
    public String plain(String user) {
      made.incrementAndGet();
      return "done";
    }

    @RateLimited(policy = "ten", key = "#p0", cost = "#items.size()")
    public int costly(String user, List<String> items) {
      return items.size();
    }

    @RateLimited(policy = "ten", cost = "#cost")
    public String costing(Object cost) {
      return "done";
    }

    @RateLimited(policy = "one", key = "#order.user.id")
    public String propertyOf(Order order) {
      return "done";
    }

    @RateLimited(policy = "one", key = "#user.trim()")
    public String methodOf(String user) {
      return "done";
    }

    @RateLimited(policy = "one", key = "#users[0].id")
    public String elementOf(List<User> users) {
      return "done";
    }

    @RateLimited(policy = "one", key = "#users.![id].toString()")
    public String eachOf(Object users) {
      return "done";
    }

    @RateLimited(policy = "one", key = "#users.^[id != ''].id")
    public String firstOf(Object users) {
      return "done";
    }

    @RateLimited(policy = "ten", cost = "#items.?[length() > 0].size()")
    public String someOf(Object items) {
      return "done";
    }

    @RateLimited(policy = "ten", cost = "#pages * 2")
    public String twice(Object pages) {
      return "done";
    }

    @RateLimited(policy = "ten", cost = "#paid ? 1 : 2")
    public String eitherOf(Boolean paid) {
      return "done";
    }

    @RateLimited(policy = "one", key = "#user.name")
    public String misspelt(User user) {
      return "done";
    }

    @RateLimited(policy = "one", key = "#user")
    public CompletableFuture<String> futureOf(String user) {
      return CompletableFuture.completedFuture(user);
    }

    @RateLimited(policy = "one", key = "#user")
    public Mono<String> monoOf(String user) {
      return Mono.just(user);
    }

    @RateLimited(policy = "one", key = "#user")
    public Flux<String> fluxOf(String user) {
      return Flux.just(user);
    }

    @RateLimited(policy = "one", key = "@tenants.current() + ':' + target.made()")
    public String bean() {
      return "done";
    }
  }

  static class Expressions {
    @RateLimited(policy = "ten", key = "'a:' + #a1 + #p0 + #second", cost = "2 + 1")
    public String byPosition(String first, String second) {
      return "done";
    }

    @RateLimited(
        policy = "ten",
        key = "#root.method.name + #items.![#this + #prefix].toString()",
        cost = "#items.?[#this != #root].size()")
    public String nested(String prefix, List<String> items) {
      return "done";
    }

    @RateLimited(policy = "ten", key = "{#joined = #user + '!', #joined}[1]")
    public String assigned(String user) {
      return "done";
    }
  }

  @RateLimited(policy = "ten", key = "#user ?: 'nobody'")
  static class SomeNameTheUser {
    public String named(String user) {
      return "done";
    }

    public String unnamed() {
      return "done";
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ImportAutoConfiguration({SluiceAutoConfiguration.class, RateLimitedAutoConfiguration.class})
  static class App {
    @Bean
    Calls calls() {
      return new Calls();
    }

    @Bean
    Tenants tenants() {
      return new Tenants();
    }

    @Bean
    Expressions expressions() {
      return new Expressions();
    }

    @Bean
    SomeNameTheUser someNameTheUser() {
      return new SomeNameTheUser();
    }
  }

  private AnnotationConfigApplicationContext context;
  private Calls calls;

  @BeforeEach
  void start() {
    context = new AnnotationConfigApplicationContext();
    TestPropertyValues.of("sluice.policies.one.limits[0]=1/h", "sluice.policies.ten.limits[0]=10/h")
        .applyTo(context);
    context.register(App.class);
    context.refresh();
    calls = context.getBean(Calls.class);
  }

  @AfterEach
  void stop() {
    context.close();
  }

  private int left(String policy, String key) {
    return (int) context.getBean(Sluice.class).limiter(policy).orElseThrow().peek(key).remaining();
  }

  @Test
  void theCostIsAnExpression() {
    assertThat(calls.costly("ada", List.of("a", "b", "c"))).isEqualTo(3);
    assertThat(left("ten", "ada")).isEqualTo(7);
  }

  @Test
  void aCallWithoutKeyOrCostIsInvalid() {
    assertThatThrownBy(() -> calls.plain(null))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage("@RateLimited on Calls.plain: key '#user' must not be null or empty");
    assertThatThrownBy(() -> calls.costly("ada", List.of()))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(
            "@RateLimited on Calls.costly: cost '#items.size()' must be a whole number from 1 to"
                + " 1099511627776, got 0");
    assertThat(calls.made()).isEqualTo(0);
  }

  @Test
  void aNullOnTheWayToTheKeyOrCostIsInvalid() {
    String key = "@RateLimited on Calls.%s: key '%s' must not be null or empty";
    for (Order order :
        new Order[] {
          null, new Order(null), new Order(new User(null)), new Order(new User("")),
        }) {
      assertThatThrownBy(() -> calls.propertyOf(order))
          .isInstanceOf(InvalidCallException.class)
          .hasMessage(key.formatted("propertyOf", "#order.user.id"));
    }
    assertThatThrownBy(() -> calls.methodOf(null))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(key.formatted("methodOf", "#user.trim()"));
    for (List<User> users : Arrays.asList(null, Collections.<User>singletonList(null))) {
      assertThatThrownBy(() -> calls.elementOf(users))
          .isInstanceOf(InvalidCallException.class)
          .hasMessage(key.formatted("elementOf", "#users[0].id"));
    }
    assertThatThrownBy(() -> calls.costly("ada", null))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(
            "@RateLimited on Calls.costly: cost '#items.size()' must be a whole number from 1 to"
                + " 1099511627776, got null");
    assertThat(calls.propertyOf(new Order(new User("ada")))).isEqualTo("done");
    assertThat(calls.methodOf(" bob ")).isEqualTo("done");
    assertThat(calls.elementOf(List.of(new User("eve")))).isEqualTo("done");
  }

  @Test
  void aNullWhereAListOrANumberIsExpectedIsInvalid() {
    String key = "@RateLimited on Calls.%s: key '%s' must not be null or empty";
    assertThatThrownBy(() -> calls.eachOf(null))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(key.formatted("eachOf", "#users.![id].toString()"));
    assertThatThrownBy(() -> calls.firstOf(null))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(key.formatted("firstOf", "#users.^[id != ''].id"));
    String cost =
        "@RateLimited on Calls.%s: cost '%s' must be a whole number from 1 to 1099511627776, got"
            + " null";
    assertThatThrownBy(() -> calls.someOf(null))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(cost.formatted("someOf", "#items.?[length() > 0].size()"));
    assertThatThrownBy(() -> calls.twice(null))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(cost.formatted("twice", "#pages * 2"));
    assertThatThrownBy(() -> calls.eitherOf(null))
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(cost.formatted("eitherOf", "#paid ? 1 : 2"));
    assertThat(calls.eachOf(List.of(new User("ada")))).isEqualTo("done");
    assertThat(calls.firstOf(List.of(new User("bob")))).isEqualTo("done");
    assertThat(calls.someOf(List.of("a"))).isEqualTo("done");
    assertThat(calls.twice(1)).isEqualTo("done");
    assertThat(calls.eitherOf(true)).isEqualTo("done");
  }

  @Test
  void anExpressionThatCannotWorkIsNotTheCallersFault() {
    assertThatThrownBy(() -> calls.misspelt(new User("ada")))
        .isInstanceOf(SpelEvaluationException.class)
        .hasMessageStartingWith("EL1008E: Property or field 'name' cannot be found");
    assertThatThrownBy(() -> calls.elementOf(List.of()))
        .isInstanceOf(SpelEvaluationException.class)
        .hasMessageStartingWith("EL1025E: ");
    assertThatThrownBy(() -> calls.eachOf(7))
        .isInstanceOf(SpelEvaluationException.class)
        .hasMessage("EL1019E: Projection is not supported on the type 'java.lang.Integer'");
    assertThatThrownBy(() -> calls.someOf(7))
        .isInstanceOf(SpelEvaluationException.class)
        .hasMessage("EL1015E: Cannot perform selection on input data of type 'java.lang.Integer'");
    assertThatThrownBy(() -> calls.twice(new User("ada")))
        .isInstanceOf(SpelEvaluationException.class)
        .hasMessageStartingWith("EL1030E: ");
  }

  @Test
  void aCostThatNoLimitKnowsIsInvalid() {
    for (Object cost : new Object[] {0L, -1, (1L << 40) + 1, Long.MAX_VALUE, 1.5, "two"}) {
      assertThatThrownBy(() -> calls.costing(cost))
          .isInstanceOf(InvalidCallException.class)
          .hasMessage(
              "@RateLimited on Calls.costing: cost '#cost' must be a whole number from 1 to"
                  + " 1099511627776, got "
                  + cost);
    }
    assertThatThrownBy(() -> calls.costing(1L << 40))
        .isInstanceOf(RateLimitExceededException.class)
        .hasMessage("policy 'ten': denied, and never passes");
  }

  @Test
  void anInvalidCallFailsInsideItsResult() {
    String text = "@RateLimited on Calls.%s: key '#user' must not be null or empty";
    assertThatThrownBy(calls.futureOf(null)::join)
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(text.formatted("futureOf"));
    assertThatThrownBy(calls.monoOf(null)::block)
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(text.formatted("monoOf"));
    assertThatThrownBy(calls.fluxOf(null)::blockLast)
        .isInstanceOf(InvalidCallException.class)
        .hasMessage(text.formatted("fluxOf"));
  }

  @Test
  void expressionsSeeBeansAndTheTarget() {
    assertThat(calls.bean()).isEqualTo("done");
    assertThat(left("one", "acme:0")).isEqualTo(0);
  }

  @Test
  void expressionsNameArgumentsByPositionAndTheirOwnVariables() {
    Expressions expressions = context.getBean(Expressions.class);
    assertThat(expressions.byPosition("x", "y")).isEqualTo("done");
    assertThat(left("ten", "a:yxy")).isEqualTo(7);
    assertThat(expressions.nested("-", List.of("a", "b"))).isEqualTo("done");
    assertThat(left("ten", "nested[a-, b-]")).isEqualTo(8);
    assertThat(expressions.assigned("ada")).isEqualTo("done");
    assertThat(left("ten", "ada!")).isEqualTo(9);
  }

  @Test
  void anAnnotationOfAClassMayNameWhatOnlySomeOfItsMethodsHave() {
    SomeNameTheUser some = context.getBean(SomeNameTheUser.class);
    assertThat(some.named("ada")).isEqualTo("done");
    assertThat(some.unnamed()).isEqualTo("done");
    assertThat(left("ten", "ada")).isEqualTo(9);
    assertThat(left("ten", "nobody")).isEqualTo(9);
  }
}

package dev.sluice.spring.method;

import dev.sluice.Sluice;
import dev.sluice.spring.RateLimited;
import dev.sluice.spring.config.InvalidConfigurationException;
import dev.sluice.spring.reactive.ReactiveCall;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;

/**
 * Finds the limited methods, and reads each annotation once: when Spring makes the bean, so that a
 * mistake stops the application at its start and not a call at night.
 */
final class LimitedMethods {
  private static final boolean REACTOR =
      ClassUtils.isPresent("reactor.core.publisher.Flux", LimitedMethods.class.getClassLoader());

  private final Map<MethodClassKey, Optional<LimitedMethod>> known = new ConcurrentHashMap<>();
  private final SpelExpressionParser parser = new SpelExpressionParser();
  private final Supplier<Sluice> sluice;

  LimitedMethods(Supplier<Sluice> sluice) {
    this.sluice = sluice;
  }

  Optional<LimitedMethod> find(Method method, @Nullable Class<?> type) {
    Class<?> owner = type == null ? method.getDeclaringClass() : type;
    MethodClassKey key = new MethodClassKey(method, owner);
    Optional<LimitedMethod> found = known.get(key);
    if (found == null) {
      // Not computed inside the map: to read one may make beans whose methods are looked up here.
      Method specific = AopUtils.getMostSpecificMethod(method, owner);
      found = annotation(specific, owner).map(said -> read(said, specific, owner));
      known.put(key, found);
    }
    return found;
  }

  private static Optional<RateLimited> annotation(Method method, Class<?> owner) {
    return own(method)
        .or(
            () ->
                speaksFor(method)
                    ? Optional.ofNullable(
                        AnnotatedElementUtils.findMergedAnnotation(owner, RateLimited.class))
                    : Optional.empty());
  }

  private static Optional<RateLimited> own(Method method) {
    return Optional.ofNullable(
        AnnotatedElementUtils.findMergedAnnotation(method, RateLimited.class));
  }

  /** Whether an annotation of a class would speak for a method. */
  private static boolean speaksFor(Method method) {
    return Modifier.isPublic(method.getModifiers())
        && !method.isSynthetic()
        && method.getDeclaringClass() != Object.class;
  }

  /**
   * The methods for which the annotation of this one speaks, with the names of their parameters.
   */
  private static List<Method> together(Method method, Class<?> owner) {
    return own(method).isPresent()
        ? List.of(named(method))
        : Stream.of(owner.getMethods())
            .filter(LimitedMethods::speaksFor)
            .map(LimitedMethods::named)
            .toList();
  }

  /**
   * The method that gives the parameters their names: the one with the annotation, which may stand
   * in an interface. Methods of proxies and lambdas have no names, so theirs are the interface's.
   */
  private static Method named(Method method) {
    Object source =
        MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
            .get(RateLimited.class)
            .getSource();
    Method annotated = source instanceof Method found ? found : method;
    return Stream.of(annotated, method, ClassUtils.getInterfaceMethodIfPossible(method, null))
        .filter(candidate -> LimitedMethod.NAMES.getParameterNames(candidate) != null)
        .findFirst()
        .orElse(method);
  }

  private LimitedMethod read(RateLimited said, Method method, Class<?> owner) {
    if (sluice.get().limiter(said.policy()).isEmpty()) {
      throw invalid(
          method,
          "unknown policy '%s'".formatted(said.policy()),
          "Define it under sluice.policies." + said.policy(),
          new IllegalArgumentException(said.policy()));
    }
    Variables variables = new Variables(together(method, owner));
    return new LimitedMethod(
        method,
        named(method),
        said.policy(),
        said.key().isEmpty() ? null : expression("key", said.key(), method, variables),
        said.cost().equals("1") ? null : cost(said.cost(), method, variables),
        said.fallback().isEmpty()
            ? Optional.empty()
            : Optional.of(fallback(said.fallback(), method, owner)),
        kind(method.getReturnType()));
  }

  private SpelExpression expression(String field, String text, Method method, Variables variables) {
    SpelExpression expression;
    try {
      expression = parser.parseRaw(text);
    } catch (ParseException wrong) {
      throw invalid(
          method,
          "%s '%s' is not an expression: %s".formatted(field, text, wrong.getSimpleMessage()),
          "Write SpEL, such as #userId; plain text stands in single quotes",
          wrong);
    }
    variables
        .unknownIn(expression.getAST())
        .ifPresent(
            name -> {
              throw invalid(
                  method,
                  "%s '%s': variable must be one of %s, got %s"
                      .formatted(field, text, variables, name),
                  LimitedMethod.NAMES.getParameterNames(named(method)) == null
                      ? "Compile the class with -parameters, so that its parameters have names"
                      : "Correct the name; it is that of a parameter, or its position",
                  new IllegalArgumentException(name));
            });
    return expression;
  }

  /** A cost; one that no call changes must make sense now. */
  private Expression cost(String text, Method method, Variables variables) {
    SpelExpression expression = expression("cost", text, method, variables);
    if (isConstant(expression.getAST()) && LimitedMethod.permits(expression.getValue()).isEmpty()) {
      throw invalid(
          method,
          "cost '%s' must be %s".formatted(text, LimitedMethod.COST),
          "Write what a call costs, such as 5 or #items.size()",
          new IllegalArgumentException(text));
    }
    return expression;
  }

  private static boolean isConstant(SpelNode node) {
    boolean signed = node instanceof Operator && node.getChildCount() == 1;
    return node instanceof Literal || (signed && isConstant(node.getChild(0)));
  }

  private static Fallback fallback(String name, Method method, Class<?> owner) {
    return Fallback.find(owner, name, method)
        .orElseThrow(
            () -> {
              String parameters =
                  Arrays.stream(method.getParameterTypes())
                      .map(Class::getSimpleName)
                      .collect(Collectors.joining(", "));
              return invalid(
                  method,
                  "fallback '%s' must be a method of %s with the parameters (%s) that returns %s"
                      .formatted(
                          name,
                          owner.getSimpleName(),
                          parameters,
                          method.getReturnType().getSimpleName()),
                  "Add it; it may take a RateLimitExceededException as one more parameter",
                  new IllegalArgumentException(name));
            });
  }

  private static CallKind kind(Class<?> result) {
    if (REACTOR && result.getName().equals("reactor.core.publisher.Mono")) {
      return ReactiveCall.MONO;
    }
    if (REACTOR && result.getName().equals("reactor.core.publisher.Flux")) {
      return ReactiveCall.FLUX;
    }
    return CompletionStage.class.isAssignableFrom(result) ? new FutureCall() : new PlainCall();
  }

  /** How a method is named in texts. */
  static String subject(Method method) {
    return "@RateLimited on %s.%s"
        .formatted(method.getDeclaringClass().getSimpleName(), method.getName());
  }

  private static InvalidConfigurationException invalid(
      Method method, String problem, String action, Throwable cause) {
    return new InvalidConfigurationException(subject(method), problem, action, cause);
  }
}

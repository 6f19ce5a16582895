package dev.sluice.spring.method;

import dev.sluice.Sluice;
import dev.sluice.spring.RateLimited;
import dev.sluice.spring.config.InvalidConfigurationException;
import dev.sluice.spring.reactive.ReactiveCall;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
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
    RateLimited own = AnnotatedElementUtils.findMergedAnnotation(method, RateLimited.class);
    if (own != null) {
      return Optional.of(own);
    }
    boolean ofTheClass =
        Modifier.isPublic(method.getModifiers())
            && !method.isSynthetic()
            && method.getDeclaringClass() != Object.class;
    return ofTheClass
        ? Optional.ofNullable(AnnotatedElementUtils.findMergedAnnotation(owner, RateLimited.class))
        : Optional.empty();
  }

  private LimitedMethod read(RateLimited said, Method method, Class<?> owner) {
    if (sluice.get().limiter(said.policy()).isEmpty()) {
      throw invalid(
          method,
          "unknown policy '%s'".formatted(said.policy()),
          "Define it under sluice.policies." + said.policy(),
          new IllegalArgumentException(said.policy()));
    }
    return new LimitedMethod(
        method,
        said.policy(),
        said.key().isEmpty() ? null : expression("key", said.key(), method),
        said.cost().equals("1") ? null : expression("cost", said.cost(), method),
        said.fallback().isEmpty()
            ? Optional.empty()
            : Optional.of(fallback(said.fallback(), method, owner)),
        kind(method.getReturnType()));
  }

  private Expression expression(String field, String text, Method method) {
    try {
      return parser.parseExpression(text);
    } catch (ParseException wrong) {
      throw invalid(
          method,
          "%s '%s' is not an expression: %s".formatted(field, text, wrong.getSimpleMessage()),
          "Write SpEL, such as #userId; plain text stands in single quotes",
          wrong);
    }
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

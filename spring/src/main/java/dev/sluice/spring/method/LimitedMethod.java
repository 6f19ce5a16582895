package dev.sluice.spring.method;

import dev.sluice.spring.InvalidCallException;
import java.lang.reflect.Method;
import java.util.Optional;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;

/**
 * What an annotation says of one method, read once.
 *
 * @param key who is limited; null where all callers share one key
 * @param cost permits that a call takes; null for one
 */
record LimitedMethod(
    Method method,
    String policy,
    @Nullable Expression key,
    @Nullable Expression cost,
    Optional<Fallback> fallback,
    CallKind kind) {
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  /** The key of those who name none; the same as that of the rules of an HTTP edge. */
  static final String EVERYONE = "all";

  /** What expressions see beside the arguments. */
  record Root(Object target, Method method) {}

  EvaluationContext context(MethodInvocation call, BeanResolver beans) {
    Object target = call.getThis();
    Root root = new Root(target == null ? call : target, method);
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(root, method, call.getArguments(), NAMES);
    context.setBeanResolver(beans);
    return context;
  }

  boolean evaluates() {
    return key != null || cost != null;
  }

  String keyOf(EvaluationContext context) {
    if (key == null) {
      return EVERYONE;
    }
    Object value = key.getValue(context);
    if (value == null || value.toString().isEmpty()) {
      throw new InvalidCallException(
          "%s: key '%s' must not be null or empty"
              .formatted(LimitedMethods.subject(method), key.getExpressionString()));
    }
    return value.toString();
  }

  long costOf(EvaluationContext context) {
    if (cost == null) {
      return 1;
    }
    Object value = cost.getValue(context);
    if (!(value instanceof Long || value instanceof Integer || value instanceof Short)
        || ((Number) value).longValue() < 1) {
      throw new InvalidCallException(
          "%s: cost '%s' must be a whole number from 1, got %s"
              .formatted(LimitedMethods.subject(method), cost.getExpressionString(), value));
    }
    return ((Number) value).longValue();
  }
}

package dev.sluice.spring.method;

import dev.sluice.Limit;
import dev.sluice.spring.InvalidCallException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelEvaluationException;

/**
 * What an annotation says of one method, read once.
 *
 * @param named the method that gives the parameters their names
 * @param key who is limited; null where all callers share one key
 * @param cost permits that a call takes; null for one
 */
record LimitedMethod(
    Method method,
    Method named,
    String policy,
    @Nullable Expression key,
    @Nullable Expression cost,
    Optional<Fallback> fallback,
    CallKind kind) {
  static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  /** What a cost must be, in texts. */
  static final String COST = "a whole number from 1 to " + Limit.MOST_PERMITS;

  /** The key of those who name none; the same as that of the rules of an HTTP edge. */
  static final String EVERYONE = "all";

  /** What expressions see beside the arguments. */
  record Root(Object target, Method method) {}

  EvaluationContext context(MethodInvocation call, BeanResolver beans) {
    Object target = call.getThis();
    Root root = new Root(target == null ? call : target, method);
    MethodBasedEvaluationContext context =
        new MethodBasedEvaluationContext(root, named, call.getArguments(), NAMES);
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
    Object value = valueOf(key, context);
    if (value == null || value.toString().isEmpty()) {
      throw new InvalidCallException(
          "%s: key '%s' must not be null or empty"
              .formatted(LimitedMethods.subject(method), key.getExpressionString()),
          "this request does not say who it is, as its limit demands");
    }
    return value.toString();
  }

  long costOf(EvaluationContext context) {
    if (cost == null) {
      return 1;
    }
    Expression expression = cost;
    Object value = valueOf(expression, context);
    return permits(value).orElseThrow(() -> invalidCost(expression, value));
  }

  /**
   * The value of an expression; null also where there is a null on the way to it, as in {@code
   * #user.id} without a user, or {@code #items.![id]} without items. That is the call's fault, and
   * all other failures are the expression's.
   */
  private static @Nullable Object valueOf(Expression expression, EvaluationContext context) {
    try {
      return expression.getValue(context);
    } catch (SpelEvaluationException failure) {
      return switch (failure.getMessageCode()) {
        case PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            CANNOT_INDEX_INTO_NULL_VALUE ->
            null;
        // These are said of all types; what they are filled with says that it was null.
        case PROJECTION_NOT_SUPPORTED_ON_TYPE,
            INVALID_TYPE_FOR_SELECTION,
            OPERATOR_NOT_SUPPORTED_BETWEEN_TYPES,
            TYPE_CONVERSION_ERROR -> {
          if (Arrays.asList(failure.getInserts()).contains("null")) {
            yield null;
          }
          throw failure;
        }
        default -> throw failure;
      };
    }
  }

  private InvalidCallException invalidCost(Expression expression, @Nullable Object value) {
    return new InvalidCallException(
        "%s: cost '%s' must be %s, got %s"
            .formatted(
                LimitedMethods.subject(method), expression.getExpressionString(), COST, value),
        "the cost of this request must be %s, got %s"
            .formatted(COST, value instanceof Number ? value : "something else"));
  }

  /** A cost as a limiter accepts it; empty for anything else. */
  static OptionalLong permits(@Nullable Object value) {
    if (value instanceof Long || value instanceof Integer || value instanceof Short) {
      long permits = ((Number) value).longValue();
      if (permits >= 1 && permits <= Limit.MOST_PERMITS) {
        return OptionalLong.of(permits);
      }
    }
    return OptionalLong.empty();
  }
}

package dev.sluice.spring.method;

import dev.sluice.RateLimiter;
import dev.sluice.Sluice;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.EvaluationContext;

/** Asks before a limited method is called. */
final class RateLimitedInterceptor implements MethodInterceptor {
  private final LimitedMethods methods;
  private final Supplier<Sluice> sluice;
  private final BeanResolver beans;

  RateLimitedInterceptor(LimitedMethods methods, Supplier<Sluice> sluice, BeanResolver beans) {
    this.methods = methods;
    this.sluice = sluice;
    this.beans = beans;
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Class<?> type = target == null ? null : AopUtils.getTargetClass(target);
    LimitedMethod method = methods.find(invocation.getMethod(), type).orElse(null);
    return method == null ? invocation.proceed() : make(method, invocation);
  }

  private @Nullable Object make(LimitedMethod method, MethodInvocation invocation)
      throws Throwable {
    LimitedCall call;
    try {
      call = call(method, invocation);
    } catch (RuntimeException invalid) {
      return method.kind().fail(invalid);
    }
    return method.kind().make(call);
  }

  private LimitedCall call(LimitedMethod method, MethodInvocation invocation) {
    Sluice asked = sluice.get();
    RateLimiter limiter =
        asked
            .limiter(method.policy())
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "%s: policy '%s' is gone"
                            .formatted(LimitedMethods.subject(method.method()), method.policy())));
    String key = LimitedMethod.EVERYONE;
    long cost = 1;
    if (method.evaluates()) {
      EvaluationContext context = method.context(invocation, beans);
      key = method.keyOf(context);
      cost = method.costOf(context);
    }
    return new LimitedCall(asked, limiter, key, cost, invocation, method.fallback());
  }
}

package dev.sluice.spring.method;

import dev.sluice.Sluice;
import dev.sluice.spring.RateLimited;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Puts the advice of {@link RateLimited} around beans that have it: before all other advice, so
 * that a denied call opens no transaction.
 */
public final class RateLimitedPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {
  private static final long serialVersionUID = 1;

  private final transient Supplier<Sluice> sluice;

  /** A processor that asks for the limits only when it meets the first limited bean. */
  public RateLimitedPostProcessor(Supplier<Sluice> sluice) {
    this.sluice = sluice;
    setProxyTargetClass(true);
    setBeforeExistingAdvisors(true);
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    LimitedMethods methods = new LimitedMethods(sluice);
    this.advisor =
        new DefaultPointcutAdvisor(
            new Limited(methods),
            new RateLimitedInterceptor(methods, sluice, new BeanFactoryResolver(beanFactory)));
  }

  /** The methods with the annotation, or of classes with it. */
  private static final class Limited extends StaticMethodMatcherPointcut {
    private final LimitedMethods methods;

    Limited(LimitedMethods methods) {
      this.methods = methods;
      setClassFilter(type -> AnnotationUtils.isCandidateClass(type, RateLimited.class));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
      return methods.find(method, targetClass).isPresent();
    }
  }
}

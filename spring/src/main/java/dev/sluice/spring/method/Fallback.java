package dev.sluice.spring.method;

import dev.sluice.spring.RateLimitExceededException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The method that is called instead of a denied one.
 *
 * @param told whether it takes the denial as its last argument
 */
record Fallback(Method method, boolean told) {
  /** The fallback of that name, if the class has one that fits the limited method. */
  static Optional<Fallback> find(Class<?> type, String name, Method limited) {
    Class<?>[] same = limited.getParameterTypes();
    Class<?>[] more = Arrays.copyOf(same, same.length + 1);
    more[same.length] = RateLimitExceededException.class;
    return find(type, name, more, limited)
        .map(method -> new Fallback(method, true))
        .or(() -> find(type, name, same, limited).map(method -> new Fallback(method, false)));
  }

  private static Optional<Method> find(
      Class<?> type, String name, Class<?>[] parameters, Method limited) {
    Method found = ReflectionUtils.findMethod(type, name, parameters);
    if (found == null
        || found.equals(limited)
        || !ClassUtils.isAssignable(limited.getReturnType(), found.getReturnType())) {
      return Optional.empty();
    }
    found.setAccessible(true);
    return Optional.of(found);
  }

  @Nullable Object call(
      Object target, @Nullable Object[] arguments, RateLimitExceededException denial)
      throws Throwable {
    @Nullable Object[] passed = arguments;
    if (told) {
      passed = Arrays.copyOf(arguments, arguments.length + 1);
      passed[arguments.length] = denial;
    }
    try {
      return method.invoke(target, passed);
    } catch (InvocationTargetException thrown) {
      throw thrown.getTargetException();
    }
  }
}

package dev.sluice.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits calls of a method, or of all public methods of a class; a method's own annotation wins.
 *
 * <pre>{@code
 * @RateLimited(policy = "orders", key = "#userId", cost = "#items.size()", fallback = "later")
 * public Receipt order(String userId, List<Item> items) { … }
 *
 * private Receipt later(String userId, List<Item> items) { … }
 * }</pre>
 *
 * <p>A denied call does not happen: {@link RateLimitExceededException} is thrown, or the fallback
 * is called. A call without a key, or with a cost that makes no sense, does not happen either:
 * {@link InvalidCallException} is thrown. A method that returns a {@code CompletableFuture}, {@code
 * CompletionStage}, {@code Mono} or {@code Flux} is decided without blocking, reactive ones anew
 * for each subscription, and fails the same way inside its result. Permits of {@code concurrency}
 * limits are held until the method, or what it returned, ends; the wait of a {@code leaky-bucket}
 * is waited.
 *
 * <p>As with all advice of Spring, calls within one object pass by unseen.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface RateLimited {
  /** The policy that limits the calls. */
  String policy();

  /**
   * Who is limited: a SpEL expression over the arguments, by name ({@code #userId}) or position
   * ({@code #p0}), the called object ({@code target}) and beans ({@code @tenants.current()}). It
   * must not be null or empty, and nothing on the way to it null. By default all callers of the
   * method share one key. A name that the method does not have stops the application when it
   * starts; on a class, one that none of its methods has.
   */
  String key() default "";

  /** Permits that a call takes: a SpEL expression, a whole number from 1 to 2^40. */
  String cost() default "1";

  /**
   * A method of the same class that is called instead of a denied one: with the same parameters, or
   * with one more at the end, the {@link RateLimitExceededException}; with the same kind of result.
   */
  String fallback() default "";
}

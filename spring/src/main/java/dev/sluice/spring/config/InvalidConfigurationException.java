package dev.sluice.spring.config;

import java.util.function.Supplier;

/**
 * A property, an annotation or their combination makes no sense: the application does not start.
 */
public class InvalidConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String subject;
  private final String action;

  /**
   * A mistake, and what to do about it.
   *
   * @param subject the property, or the place in the code
   * @param problem what is wrong with it, in one sentence without a full stop
   * @param action what to do about it, in one sentence without a full stop
   */
  public InvalidConfigurationException(
      String subject, String problem, String action, Throwable cause) {
    super(problem, cause);
    this.subject = subject;
    this.action = action;
  }

  /**
   * Makes something of a property.
   *
   * @param action what to do where that refuses it
   * @throws InvalidConfigurationException instead of its {@link IllegalArgumentException}
   */
  public static <T> T explained(String property, String action, Supplier<T> make) {
    try {
      return make.get();
    } catch (IllegalArgumentException wrong) {
      throw new InvalidConfigurationException(
          property, String.valueOf(wrong.getMessage()), action, wrong);
    }
  }

  /** The property, or the place in the code. */
  public String subject() {
    return subject;
  }

  /** What to do about it. */
  public String action() {
    return action;
  }

  /** What is wrong with it. */
  public String problem() {
    return String.valueOf(super.getMessage());
  }

  @Override
  public String getMessage() {
    return subject + ": " + problem();
  }
}

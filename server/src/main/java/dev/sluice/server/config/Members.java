package dev.sluice.server.config;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The members of one mapping while they are read: what is wrong with one is told with its line, and
 * the others are still read.
 */
public final class Members {
  // A hundred digits tell a slip of the hand; more could be made to cost time.
  private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,100}");
  private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

  private final String subject;
  private final Map<String, ConfigNode.Member> members;
  private final Problems problems;

  /** The members of {@code mapping}; problems begin with {@code subject}. */
  public Members(String subject, ConfigNode.Mapping mapping, Problems problems) {
    this.subject = subject;
    this.members = mapping.members();
    this.problems = problems;
  }

  /** Tells of every member that is not in the vocabulary. */
  public void only(Set<String> known) {
    members.forEach(
        (name, member) -> {
          if (!known.contains(name)) {
            tell(
                member.line(),
                "unknown key '%s', expected one of %s"
                    .formatted(name, String.join(", ", new TreeSet<>(known))));
          }
        });
  }

  /** Whether there is a member of that name. */
  public boolean has(String name) {
    return members.containsKey(name);
  }

  /** A member, or null where there is none of that name. */
  public ConfigNode.@Nullable Member get(String name) {
    return members.get(name);
  }

  /** Tells of a problem in a line. */
  public void tell(int line, String text) {
    problems.add(line, subject + text);
  }

  /** Hands the text of a member on; what that refuses is a problem of this member. */
  public void text(String name, Consumer<String> use) {
    ConfigNode.Member member = members.get(name);
    if (member == null) {
      return;
    }
    if (member.value() instanceof ConfigNode.Scalar scalar) {
      try {
        use.accept(scalar.text());
      } catch (IllegalArgumentException wrong) {
        tell(member.line(), withField(name, withoutSubject(wrong)));
      }
    } else {
      tell(member.line(), "%s must be one value, got %s".formatted(name, member.value()));
    }
  }

  /** As {@link #text}, for a whole number. */
  public void number(String name, Consumer<Long> use) {
    text(
        name,
        text -> {
          BigInteger number = wholeNumber(text);
          try {
            use.accept(number.min(MOST).max(LEAST).longValue());
          } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(asWritten(wrong, number), wrong);
          }
          if (number.bitLength() >= Long.SIZE) {
            throw new IllegalArgumentException(
                "must be at most %d, got %d".formatted(MOST, number));
          }
        });
  }

  /** Whoever knows the range was handed the nearest number that a long can hold. */
  private static String asWritten(IllegalArgumentException wrong, BigInteger number) {
    return String.valueOf(wrong.getMessage())
        .replace("got " + number.min(MOST).max(LEAST), "got " + number);
  }

  /** As {@link #text}, for {@code true} or {@code false}. */
  public void flag(String name, Consumer<Boolean> use) {
    text(
        name,
        text ->
            use.accept(
                switch (text) {
                  case "true" -> true;
                  case "false" -> false;
                  default ->
                      throw new IllegalArgumentException(
                          "must be true or false, got '%s'".formatted(text));
                }));
  }

  /** One of an enum's words, in lower case with hyphens. */
  <E extends Enum<E>> void word(
      String name, E[] values, Function<E, String> word, Consumer<E> use) {
    text(
        name,
        text -> {
          for (E value : values) {
            if (word.apply(value).equals(text)) {
              use.accept(value);
              return;
            }
          }
          throw new IllegalArgumentException(
              "must be %s, got '%s'"
                  .formatted(String.join(" or ", Arrays.stream(values).map(word).toList()), text));
        });
  }

  private static BigInteger wholeNumber(String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw new IllegalArgumentException("must be a whole number, got '%s'".formatted(text));
    }
    return new BigInteger(text);
  }

  /** The core names its own subject; here the policy and the limit are already named. */
  static String withoutSubject(IllegalArgumentException wrong) {
    return String.valueOf(wrong.getMessage()).replaceFirst("^limit '[^']*': ", "");
  }

  private static String withField(String name, String text) {
    return text.startsWith("must ") || text.startsWith("duration ") ? name + " " + text : text;
  }
}

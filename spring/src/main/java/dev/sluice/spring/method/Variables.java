package dev.sluice.spring.method;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.VariableReference;

/**
 * What expressions may name with a {@code #}. SpEL takes a name that it does not know for null, so
 * a misspelt one would come to light with the first call only.
 */
final class Variables {
  private final Set<String> known = new LinkedHashSet<>();

  /** Those of methods for which one annotation speaks: what one of them has is no mistake. */
  Variables(Collection<Method> methods) {
    for (Method method : methods) {
      String[] names = LimitedMethod.NAMES.getParameterNames(method);
      if (names != null) {
        Stream.of(names).map(name -> "#" + name).forEach(known::add);
      }
    }
    int most = methods.stream().mapToInt(Method::getParameterCount).max().orElse(0);
    IntStream.range(0, most).mapToObj(i -> "#p" + i).forEach(known::add);
    known.add("#root");
    known.add("#this");
  }

  /** The first name in an expression that is not known, with its {@code #}. */
  Optional<String> unknownIn(SpelNode expression) {
    Set<String> assigned =
        nodes(expression)
            .filter(Assign.class::isInstance)
            .map(node -> node.getChild(0).toStringAST())
            .collect(Collectors.toSet());
    return nodes(expression)
        .flatMap(node -> nameIn(node).stream())
        .filter(name -> !isKnown(name) && !assigned.contains(name))
        .findFirst();
  }

  private boolean isKnown(String name) {
    // Spring's other word for #p0; once is enough in texts.
    return known.contains(name) || known.contains(name.replaceFirst("^#a(?=[0-9]+$)", "#p"));
  }

  private static Stream<SpelNode> nodes(SpelNode node) {
    return Stream.concat(
        Stream.of(node),
        IntStream.range(0, node.getChildCount())
            .mapToObj(node::getChild)
            .flatMap(Variables::nodes));
  }

  private static Optional<String> nameIn(SpelNode node) {
    if (node instanceof VariableReference) {
      return Optional.of(node.toStringAST());
    }
    // A function is a variable that is called: #name(…).
    return node instanceof FunctionReference
        ? Optional.of(node.toStringAST().replaceFirst("\\(.*", ""))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return String.join(", ", known);
  }
}

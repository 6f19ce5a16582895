package dev.sluice.spring.config;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Names the properties below {@code sluice} that nobody knows. Comes before Boot's own analysis,
 * which tells of the class that they could not be bound to.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyAnalyzer
    extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {
  private static final ConfigurationPropertyName SLUICE = ConfigurationPropertyName.of("sluice");

  @Override
  protected @Nullable FailureAnalysis analyze(
      Throwable root, UnboundConfigurationPropertiesException failure) {
    List<ConfigurationProperty> unknown = failure.getUnboundProperties().stream().sorted().toList();
    if (!unknown.stream().map(ConfigurationProperty::getName).allMatch(SLUICE::isAncestorOf)) {
      return null;
    }
    return new FailureAnalysis(
        unknown.stream()
            .map(
                property ->
                    "Sluice knows no property '%s' (%s)."
                        .formatted(property.getName(), property.getOrigin()))
            .collect(Collectors.joining("\n")),
        "Correct its name; docs/spring.md of Sluice shows every property. Rules and limits are"
            + " lists: a dash begins each in YAML, a number in properties, as in"
            + " sluice.rules[0].path.",
        failure);
  }
}

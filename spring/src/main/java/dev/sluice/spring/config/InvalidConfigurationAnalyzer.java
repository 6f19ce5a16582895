package dev.sluice.spring.config;

import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.env.Environment;

/** Says in one paragraph what is wrong with the configuration, and where it stands. */
final class InvalidConfigurationAnalyzer
    extends AbstractFailureAnalyzer<InvalidConfigurationException> {
  private final @Nullable Environment environment;

  /** Made by Boot, which passes the environment. */
  InvalidConfigurationAnalyzer(@Nullable Environment environment) {
    this.environment = environment;
  }

  @Override
  protected FailureAnalysis analyze(Throwable root, InvalidConfigurationException failure) {
    String place = origin(failure.subject()).map(origin -> " (" + origin + ")").orElse("");
    return new FailureAnalysis(
        "Sluice cannot use '%s'%s: %s.".formatted(failure.subject(), place, failure.problem()),
        failure.action() + ".",
        failure);
  }

  /** Where the property stands, or the first one below it. */
  private Optional<Origin> origin(String subject) {
    if (environment == null || !ConfigurationPropertyName.isValid(subject)) {
      return Optional.empty();
    }
    ConfigurationPropertyName name = ConfigurationPropertyName.of(subject);
    for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
      Optional<ConfigurationPropertyName> found =
          source.getConfigurationProperty(name) != null ? Optional.of(name) : below(source, name);
      if (found.isPresent()) {
        return found.map(source::getConfigurationProperty).map(property -> property.getOrigin());
      }
    }
    return Optional.empty();
  }

  private static Optional<ConfigurationPropertyName> below(
      ConfigurationPropertySource source, ConfigurationPropertyName name) {
    return source instanceof IterableConfigurationPropertySource listed
        ? listed.stream().filter(name::isAncestorOf).min(Comparator.naturalOrder())
        : Optional.empty();
  }
}

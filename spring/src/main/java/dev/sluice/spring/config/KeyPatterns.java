package dev.sluice.spring.config;

import dev.sluice.spring.config.PolicyProperties.KeyProperties;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds the keys of a policy as they were written. Boot drops what is no letter or digit from the
 * keys of a map unless they stand in brackets, so that {@code "plan:pro:*"}, as a policies file has
 * it, would silently become {@code planpro}. Here both spellings mean the same.
 */
public final class KeyPatterns {
  // Group 1 is the pattern; it may hold dots, so it ends before the last known word.
  private static final Pattern KEY =
      Pattern.compile("\\.?\\[?(.+?)]?\\.(deny|unlimited|limits(\\[\\d+](\\.[^.]+)?)?)");

  // The variable's name has neither the case nor the signs of a pattern.
  private static final Pattern VARIABLE =
      Pattern.compile("SLUICE_POLICIES_.+_KEYS_.+", Pattern.CASE_INSENSITIVE);

  private final ConfigurableEnvironment environment;

  /** The keys in this environment. */
  public KeyPatterns(ConfigurableEnvironment environment) {
    this.environment = environment;
  }

  /** The keys of a policy in the order in which they were written. */
  Map<String, KeyProperties> of(String policy) {
    Map<String, Object> bracketed = bracketed(policy);
    if (bracketed.isEmpty()) {
      return Map.of();
    }
    Binder binder =
        new Binder(
            java.util.List.of(new MapConfigurationPropertySource(bracketed)),
            new PropertySourcesPlaceholdersResolver(environment));
    return binder
        .bind(
            ConfigurationPropertyName.of("keys"), Bindable.mapOf(String.class, KeyProperties.class))
        .orElseGet(Map::of);
  }

  private Map<String, Object> bracketed(String policy) {
    Map<String, Object> found = new LinkedHashMap<>();
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof EnumerablePropertySource<?> listed) {
        for (String name : listed.getPropertyNames()) {
          refuseVariable(name, source);
          collect(policy, name, listed, found);
        }
      }
    }
    return found;
  }

  private static void refuseVariable(String name, PropertySource<?> source) {
    if (source instanceof SystemEnvironmentPropertySource && VARIABLE.matcher(name).matches()) {
      throw new InvalidConfigurationException(
          name,
          "the name of a variable cannot hold a key pattern",
          "Write plans and exceptions in a file of properties, or in SPRING_APPLICATION_JSON",
          new IllegalArgumentException(name));
    }
  }

  private static void collect(
      String policy, String name, EnumerablePropertySource<?> source, Map<String, Object> found) {
    for (String form : new String[] {".%s", "[%s]", ".[%s]"}) {
      String prefix = "sluice.policies" + form.formatted(policy) + ".keys";
      if (name.startsWith(prefix + ".") || name.startsWith(prefix + "[")) {
        Matcher key = KEY.matcher(name.substring(prefix.length()));
        if (!key.matches()) {
          throw new InvalidConfigurationException(
              name,
              "a key must have limits, deny or unlimited",
              "Correct it there; docs/spring.md of Sluice shows plans and exceptions",
              new IllegalArgumentException(name));
        }
        Object value = source.getProperty(name);
        if (value != null) {
          found.putIfAbsent("keys[%s].%s".formatted(key.group(1), key.group(2)), value);
        }
      }
    }
  }
}

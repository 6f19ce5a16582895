package dev.sluice.cli;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Reads options that were not given from the environment: {@code SLUICE_HTTP_PORT}. */
final class EnvironmentDefaults implements IDefaultValueProvider {
  private final Map<String, String> environment;

  EnvironmentDefaults(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    String value =
        argument instanceof OptionSpec option
            ? environment.get(variable(option.longestName()))
            : null;
    // Compose and Kubernetes set what is not there to nothing.
    return value == null || value.isEmpty() ? null : value;
  }

  static String variable(String option) {
    return "SLUICE_" + option.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
  }
}

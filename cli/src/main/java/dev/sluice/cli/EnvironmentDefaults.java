package dev.sluice.cli;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Reads options that were not given from the environment: {@code SLUICE_HTTP_PORT}. */
final class EnvironmentDefaults implements IDefaultValueProvider {
  // The variable is set for servers; what they share must not be put under load by it.
  private static final Set<String> ONLY_GIVEN = Set.of("sluice bench --store");

  private final Map<String, String> environment;

  EnvironmentDefaults(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    String value =
        argument instanceof OptionSpec option && reads(option)
            ? environment.get(variable(option.longestName()))
            : null;
    // Compose and Kubernetes set what is not there to nothing.
    return value == null || value.isEmpty() ? null : value;
  }

  /** To ask for help or for the version is a deed of the moment, not a setting. */
  private static boolean reads(OptionSpec option) {
    String place = option.command().qualifiedName() + " " + option.longestName();
    return !option.usageHelp() && !option.versionHelp() && !ONLY_GIVEN.contains(place);
  }

  static String variable(String option) {
    return "SLUICE_" + option.replaceFirst("^-+", "").replace('-', '_').toUpperCase(Locale.ROOT);
  }
}

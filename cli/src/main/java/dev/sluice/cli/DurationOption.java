package dev.sluice.cli;

import dev.sluice.server.config.Durations;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as the policies file writes them: {@code 20ms}. */
final class DurationOption implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    try {
      return Durations.parse(text);
    } catch (IllegalArgumentException wrong) {
      throw new TypeConversionException(wrong.getMessage());
    }
  }
}

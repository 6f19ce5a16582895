package dev.sluice.cli;

import dev.sluice.OnStoreFailure;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What is answered for a failed store: {@code error} or {@code allow}. */
final class StoreFailureOption implements ITypeConverter<OnStoreFailure> {
  @Override
  public OnStoreFailure convert(String text) {
    return switch (text) {
      case "error" -> OnStoreFailure.DENY;
      case "allow" -> OnStoreFailure.ALLOW;
      default ->
          throw new TypeConversionException("must be error or allow, got '%s'".formatted(text));
    };
  }
}

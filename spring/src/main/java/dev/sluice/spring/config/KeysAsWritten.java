package dev.sluice.spring.config;

import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * Does not let Boot take a key pattern with dots, such as {@code "ip:10.0.0.*"}, for an unknown
 * property: {@link KeyPatterns} reads those, and refuses what is unknown there.
 */
public final class KeysAsWritten implements ConfigurationPropertiesBindHandlerAdvisor {
  private static final ConfigurationPropertyName POLICIES =
      ConfigurationPropertyName.of("sluice.policies");

  /** Made once for all properties. */
  public KeysAsWritten() {}

  @Override
  public BindHandler apply(BindHandler handler) {
    return new AbstractBindHandler(handler) {
      @Override
      public void onFinish(
          ConfigurationPropertyName name,
          Bindable<?> target,
          BindContext context,
          @Nullable Object result)
          throws Exception {
        try {
          super.onFinish(name, target, context, result);
        } catch (UnboundConfigurationPropertiesException unknown) {
          Set<ConfigurationProperty> others =
              unknown.getUnboundProperties().stream()
                  .filter(property -> !isKey(property.getName()))
                  .collect(Collectors.toSet());
          if (!others.isEmpty()) {
            throw new UnboundConfigurationPropertiesException(others);
          }
        }
      }
    };
  }

  /** Whether it is {@code sluice.policies.NAME.keys.…}. */
  private static boolean isKey(ConfigurationPropertyName name) {
    int keys = POLICIES.getNumberOfElements() + 1;
    return POLICIES.isAncestorOf(name)
        && name.getNumberOfElements() > keys
        && name.getElement(keys, ConfigurationPropertyName.Form.UNIFORM).equals("keys");
  }
}

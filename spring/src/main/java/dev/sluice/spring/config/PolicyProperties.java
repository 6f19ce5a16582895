package dev.sluice.spring.config;

import dev.sluice.OnStoreFailure;
import dev.sluice.Tier;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One policy, in the words of a policies file.
 *
 * @param limits The limits that are decided together; each with its fields, or short as 10/s.
 * @param onStoreFailure What is answered when the store cannot decide.
 * @param nodes How many instances share the limit when each decides locally.
 * @param deadline How long the store may take.
 * @param shadow Whether denials are only counted: everything passes.
 * @param tier How far decisions travel.
 * @param maxLeased Permits of a key that all instances together may take ahead of need, where the
 *     tier is leased; one in a hundred of the smallest limit by default.
 * @param keys Plans and exceptions by key pattern; the first that matches wins. Boot may drop
 *     characters of a pattern here; {@link KeyPatterns} has them as they were written.
 */
public record PolicyProperties(
    @DefaultValue List<LimitProperties> limits,
    @DefaultValue("allow") OnStoreFailure onStoreFailure,
    @DefaultValue("1") int nodes,
    @Nullable Duration deadline,
    @DefaultValue("false") boolean shadow,
    @DefaultValue("exact") Tier tier,
    @Nullable Long maxLeased,
    @DefaultValue Map<String, KeyProperties> keys) {

  /**
   * What happens to the keys of one pattern: exactly one of the three.
   *
   * @param limits Other limits instead of the policy's.
   * @param deny Whether these keys never pass.
   * @param unlimited Whether these keys always pass.
   */
  public record KeyProperties(
      @DefaultValue List<LimitProperties> limits,
      @DefaultValue("false") boolean deny,
      @DefaultValue("false") boolean unlimited) {}
}

package dev.sluice.spring.config;

import dev.sluice.http.ClientAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the starter. Policies and rules are written in the words of a policies file; a
 * name that is not known is an error.
 *
 * @param enabled Whether anything is limited at all.
 * @param store Where limits are counted: memory, application for the Redis that the application
 *     itself uses, or an address that begins with redis://, rediss://, redis-sentinel:// or
 *     redis-cluster://. All but memory need sluice-redis on the class path.
 * @param storeDeadline How long Redis may take for a decision, where the policy does not say.
 * @param denialsHeld How long a denial is repeated before Redis is asked again, so how late a
 *     refund made by another instance is seen; 0 to ask every time.
 * @param policies Limits by the name of their policy.
 * @param rules Which policy limits which requests, and by which key; the first that matches
 *     applies.
 * @param topKeys How many of the most limited keys of each policy the actuator endpoint shows, from
 *     0 to 1000.
 * @param address How the address of a client is found.
 * @param headers The headers of limited responses.
 * @param filter The filter that limits requests.
 */
@ConfigurationProperties(prefix = "sluice", ignoreUnknownFields = false)
public record SluiceProperties(
    @DefaultValue("true") boolean enabled,
    @DefaultValue("memory") String store,
    @DefaultValue("20ms") Duration storeDeadline,
    @DefaultValue("20ms") Duration denialsHeld,
    @DefaultValue Map<String, PolicyProperties> policies,
    @DefaultValue List<RuleProperties> rules,
    @DefaultValue("20") int topKeys,
    @DefaultValue Address address,
    @DefaultValue Headers headers,
    @DefaultValue Filter filter) {

  /**
   * How the address of a client is found.
   *
   * @param trustedProxies Addresses or ranges, such as 10.0.0.0/8, of the proxies whose header is
   *     believed; none by default.
   * @param header The one header that all trusted proxies write.
   * @param ipv6Prefix How many bits of an IPv6 address name one client, from 32 to 128.
   */
  public record Address(
      @DefaultValue List<String> trustedProxies,
      @DefaultValue("x-forwarded-for") ClientAddress.Header header,
      @DefaultValue("64") int ipv6Prefix) {}

  /**
   * The headers of limited responses.
   *
   * @param dialects Which headers are written: ietf, ietf-06, ietf-07, x, github or none.
   * @param jitter The longest random time that is added to Retry-After, so that clients who were
   *     denied together do not come back together.
   */
  public record Headers(
      @DefaultValue({"ietf", "x"}) List<String> dialects, @DefaultValue("0s") Duration jitter) {}

  /**
   * The filter that limits requests.
   *
   * @param enabled Whether the rules are applied to requests.
   * @param order Where the filter stands; after Spring Security's, which is at -100, by default.
   */
  public record Filter(@DefaultValue("true") boolean enabled, @DefaultValue("-90") int order) {}
}

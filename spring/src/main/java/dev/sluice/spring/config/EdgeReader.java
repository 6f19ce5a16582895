package dev.sluice.spring.config;

import static dev.sluice.spring.config.InvalidConfigurationException.explained;

import dev.sluice.Sluice;
import dev.sluice.http.ClientAddress;
import dev.sluice.http.Dialect;
import dev.sluice.http.LimitRules;
import dev.sluice.http.RateLimitHeaders;
import dev.sluice.http.RequestLimiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Makes what an HTTP edge needs of its properties: addresses, rules and headers. */
public final class EdgeReader {
  private EdgeReader() {}

  /** How the address of a client is found. */
  public static ClientAddress address(SluiceProperties.Address said) {
    ClientAddress trusting =
        explained(
            "sluice.address.trusted-proxies",
            "Write addresses or ranges, such as 10.0.0.0/8",
            () -> ClientAddress.trusting(said.trustedProxies()));
    return explained(
        "sluice.address.ipv6-prefix",
        "Choose how many bits name one client; 64 is right for most",
        () -> trusting.header(said.header()).ipv6Prefix(said.ipv6Prefix()));
  }

  /** The headers of limited responses. */
  public static RateLimitHeaders headers(SluiceProperties.Headers said) {
    RateLimitHeaders headers =
        explained(
            "sluice.headers.dialects",
            "Choose from ietf, ietf-06, ietf-07, x, github and none",
            () ->
                RateLimitHeaders.of(
                    said.dialects().stream().map(Dialect::parse).toArray(Dialect[]::new)));
    return explained(
        "sluice.headers.jitter", "Choose a time such as 5s", () -> headers.jitter(said.jitter()));
  }

  /** The rules, in order. */
  public static LimitRules rules(List<RuleProperties> said, ClientAddress address) {
    List<Map<String, Object>> words = new ArrayList<>();
    for (int i = 0; i < said.size(); i++) {
      Map<String, Object> rule = said.get(i).words();
      words.add(rule);
      // Each is read by itself first, so that the mistake has a place.
      explained(
          "sluice.rules[" + i + "]",
          "Correct it there; docs/spring.md of Sluice shows what a rule can say",
          () -> LimitRules.parse(List.of(rule), address));
    }
    return explained(
        "sluice.rules",
        "Let the most specific rule stand first: the first that matches applies",
        () -> LimitRules.parse(words, address));
  }

  /** Puts rules and policies together. */
  public static RequestLimiter limiter(Sluice sluice, LimitRules rules) {
    return explained(
        "sluice.rules",
        "Define the policy under sluice.policies, or correct its name in the rule",
        () -> new RequestLimiter(sluice, rules));
  }
}

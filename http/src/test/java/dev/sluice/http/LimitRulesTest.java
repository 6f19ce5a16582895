package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LimitRulesTest {
  static LimitRules rules(Map<String, ?> rule) {
    return rules(List.of(rule));
  }

  static LimitRules rules(List<Map<String, ?>> rules) {
    return LimitRules.parse(rules, ClientAddress.ofPeer());
  }

  @Test
  void badRulesAreRefusedWithTheirReason() {
    assertThatThrownBy(() -> rules(Map.of("policy", "api")))
        .hasMessage("rule must have a path, got {policy=api}");
    assertThatThrownBy(() -> rules(Map.of("path", "/a")))
        .hasMessage("rule '/a': must have a check or be exempt, got neither");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "exempt", "true")))
        .hasMessage("rule '/a': must have a check or be exempt, got both");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "exempt", "yes")))
        .hasMessage("rule '/a': exempt must be true or false, got 'yes'");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "key", "ip")))
        .hasMessageStartingWith("rule '/a': key must be address, principal, ");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "key", "address")))
        .hasMessage("rule '/a': a check must name its policy");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "cost", "0")))
        .hasMessage(
            "rule '/a': check of policy 'api': cost must be from 1 to 1099511627776, got 0");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "cost", "1099511627777")))
        .hasMessage(
            "rule '/a': check of policy 'api': cost must be from 1 to 1099511627776, got"
                + " 1099511627777");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "cost", "-1")))
        .hasMessage("rule '/a': cost must be a whole number from 1 to 1099511627776, got '-1'");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "on-missing", "pass")))
        .hasMessage("rule '/a': on-missing must be one of deny, anonymous, skip, got 'pass'");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "method", "GET")))
        .hasMessage(
            "rule '/a': 'method' must be one of [checks, cost, exempt, key, methods, on-missing,"
                + " path, policy]");
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "checks", List.of("api"))))
        .hasMessage("rule '/a': checks must be maps, got api");
    assertThatThrownBy(
            () ->
                rules(
                    List.of(
                        Map.of("path", "/a/**", "policy", "api"),
                        Map.of("path", "/a/{id}", "methods", "GET", "policy", "api"))))
        .hasMessage(
            "rule 'GET /a/{id}': must stand before rule '/a/**', which matches all its requests");
  }

  @Test
  void methodsThatNoRequestHasAreRefused() {
    Map<Object, String> refused =
        Map.of(
            "",
            "",
            "GET, ,POST",
            "",
            "GET POST",
            "GET POST",
            "*",
            "*",
            "P\u00d6ST",
            "P\u00d6ST",
            List.of("GET, POST"),
            "GET, POST");
    refused.forEach(
        (methods, got) ->
            assertThatThrownBy(
                    () -> rules(Map.of("path", "/a", "policy", "api", "methods", methods)))
                .hasMessage("rule '/a': a method must be one name such as GET, got '%s'", got));
    assertThatThrownBy(() -> rules(Map.of("path", "/a", "policy", "api", "methods", List.of())))
        .hasMessage("rule '/a': methods must not be empty; without methods it holds for all");
  }

  @Test
  void methodsMayBeInAnyCaseAndOfAnyKind() {
    LimitRules rules =
        rules(Map.of("path", "/a", "policy", "api", "methods", "get, PROPFIND,x-purge"));
    for (String method : List.of("GET", "HEAD", "PROPFIND", "X-PURGE")) {
      assertThat(rules.match(SentRequest.of(method, "/a"))).as(method).isPresent();
    }
    assertThat(rules.match(SentRequest.of("POST", "/a"))).isEmpty();
  }
}

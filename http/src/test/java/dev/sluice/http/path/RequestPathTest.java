package dev.sluice.http.path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestPathTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/api/login",
        "/api/login/",
        "//api//login",
        "/api/./login",
        "/api/x/../login",
        "/api/%6cogin",
        "/api/%6Cogin",
        "/api%2flogin",
        "/api%2Flogin",
        "/api%5clogin",
        "/api\\login",
        "/api;v=1/login",
        "/api/login;jsessionid=1",
        "/api;/login;a=b;c/",
        "/%2e/api/login",
        "/x/%2e%2e/api/login",
        "/x/%2E./api/login",
        "/../api/login",
        "/x/..;/api/login",
        "/x/%2e%2e;a=b/api/login",
        "/api/login/."
      })
  void everySpellingOfAPathIsOne(String path) {
    assertThat(RequestPath.segments(path)).containsExactly("api", "login");
  }

  @Test
  void whatIsAnotherPathStaysAnother() {
    assertThat(RequestPath.segments("/API/login")).containsExactly("API", "login");
    assertThat(RequestPath.segments("/api/login%3bx")).containsExactly("api", "login;x");
    assertThat(RequestPath.segments("/%252e%252e/x")).containsExactly("%2e%2e", "x");
    assertThat(RequestPath.segments("/a%zz%2")).containsExactly("a%zz%2");
    assertThat(RequestPath.segments("/")).isEmpty();
    assertThat(RequestPath.segments("")).isEmpty();
    assertThat(RequestPath.segments("*")).containsExactly("*");
  }

  @Test
  void unicodeIsComposed() {
    assertThat(RequestPath.segments("/cafe%CC%81"))
        .isEqualTo(RequestPath.segments("/caf%C3%A9"))
        .isEqualTo(RequestPath.segments("/café"));
    assertThat(RequestPath.segments("/%20\uD83D\uDE00")).containsExactly(" \uD83D\uDE00");
  }

  @ParameterizedTest
  @CsvSource({
    "/api/**, /api, true",
    "/api/**, /api/a/b, true",
    "/api/**, /apis, false",
    "/**, /, true",
    "/, /, true",
    "/, /a, false",
    "/orders/{id}, /orders/7, true",
    "/orders/{id}, /orders, false",
    "/orders/{id}, /orders/7/items, false",
    "/orders/*, /orders/7, true",
    "/orders/{id}/**, /orders/7/items, true",
    "/static/*.css, /static/a.css, true",
    "/static/*.css, /static/a.js, false",
    "/static/a*b*c, /static/aXbYc, true",
    "/static/a*b*c, /static/aXcYb, false",
    "/static/ab*ba, /static/aba, false",
    "/Login, /login, false",
    "/api/, /api, true",
    "/orders/*, /orders, false",
    "/orders/*, /orders/, false"
  })
  void patternsMatchBySegment(String pattern, String path, boolean matches) {
    assertThat(PathPattern.parse(pattern).matches(RequestPath.segments(path))).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({
    "/orders/*, /orders/, true",
    "/orders/*, /orders/;v=1, true",
    "/orders/*, /orders/x/.., true",
    "/orders/*, /orders, false",
    "/orders/*, /orders/7/, true",
    "/orders/{id}, /orders/, false",
    "/orders/{id}, /orders/7/, true",
    "/orders/*/**, /orders/, false",
    "/orders/**, /orders/, true",
    "/*, /, true"
  })
  void aStarAtTheEndMayStandForNothingAfterASlash(String pattern, String path, boolean matches) {
    assertThat(RequestPath.readings(path).stream().anyMatch(PathPattern.parse(pattern)::matches))
        .isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({
    "/**, /api/x, true",
    "/api/**, /api/**, true",
    "/api/**, /**, false",
    "/api/{id}, /api/x, true",
    "/api/{id}, /api/**, false",
    "/api/x, /api/{id}, false",
    "/api/*, /api/*, true",
    "/api/*, /api/{id}, true",
    "/api/**, /api/*, true",
    "/api/{id}, /api/*, false",
    "/api/{id}/**, /api/*, false",
    "/api/*/**, /api/*, false",
    "/api/{id}/x, /api/*/x, true",
    "/api/*.css, /api/a.css, false"
  })
  void aPatternCoversAnotherIfNothingGetsPastIt(String pattern, String other, boolean covers) {
    assertThat(PathPattern.parse(pattern).covers(PathPattern.parse(other))).isEqualTo(covers);
  }

  @Test
  void badPatternsAreRefused() {
    assertThatThrownBy(() -> PathPattern.parse("api"))
        .hasMessage("path pattern must begin with '/', got 'api'");
    assertThatThrownBy(() -> PathPattern.parse("/a/**/b"))
        .hasMessage("path pattern '/a/**/b': ** must be the last segment");
    assertThatThrownBy(() -> PathPattern.parse("/a/x{id}"))
        .hasMessage(
            "path pattern '/a/x{id}': a name in braces must be a whole segment, got 'x{id}'");
    assertThatThrownBy(() -> PathPattern.parse("/a%20b"))
        .hasMessage("path pattern '/a%20b': must be written decoded, without % and ;");
    assertThatThrownBy(() -> PathPattern.parse("/a/{*rest}"))
        .hasMessage("path pattern '/a/{*rest}': the rest of a path must be written /**");
    assertThatThrownBy(() -> PathPattern.parse("/a?c"))
        .hasMessage("path pattern '/a?c': must not have ?, which stands for nothing here; write *");
    assertThat(List.of(PathPattern.parse("/a/**"))).hasToString("[/a/**]");
  }
}

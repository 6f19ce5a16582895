package dev.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BindTest {
  @Test
  void addressOfIpv6IsShownInOnePairOfBrackets() {
    assertThat(Bind.text("127.0.0.1", 8080)).isEqualTo("127.0.0.1:8080");
    assertThat(Bind.text("::1", 8080)).isEqualTo("[::1]:8080");
    assertThat(Bind.text("[::1]", 8080)).isEqualTo("[::1]:8080");
  }

  @Test
  void emptyAddressIsRefused() {
    assertThatThrownBy(() -> Bind.address("http", "", 0))
        .isInstanceOf(StartupException.class)
        .hasMessage("--bind: must not be empty");
  }
}

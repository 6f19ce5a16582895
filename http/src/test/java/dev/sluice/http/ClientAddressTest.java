package dev.sluice.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ClientAddressTest {
  @Test
  void nothingIsTrustedByDefault() {
    SentRequest request =
        SentRequest.from("127.0.0.1")
            .header("X-Forwarded-For", "203.0.113.7")
            .header("Forwarded", "for=203.0.113.7");
    assertThat(ClientAddress.ofPeer().of(request)).hasValue("127.0.0.1");
  }

  @Test
  void onlyTheHeaderThatTheProxyWritesIsRead() {
    SentRequest request =
        SentRequest.from("10.0.0.1")
            .header("X-Forwarded-For", "203.0.113.7")
            .header("Forwarded", "for=198.51.100.1")
            .header("X-Real-IP", "192.0.2.1")
            .header("True-Client-IP", "192.0.2.2");
    ClientAddress address = ClientAddress.trusting("10.0.0.0/8");
    assertThat(address.of(request)).hasValue("203.0.113.7");
    assertThat(address.header(ClientAddress.Header.FORWARDED).of(request)).hasValue("198.51.100.1");
  }

  @Test
  void ipv6PrefixIsConfigurable() {
    SentRequest request = SentRequest.from("2001:db8:1:2:3:4:5:6");
    assertThat(ClientAddress.ofPeer().ipv6Prefix(32).of(request)).hasValue("2001:db8::/32");
    assertThat(ClientAddress.ofPeer().ipv6Prefix(56).of(request)).hasValue("2001:db8:1::/56");
    assertThat(ClientAddress.ofPeer().ipv6Prefix(128).of(request)).hasValue("2001:db8:1:2:3:4:5:6");
    assertThatThrownBy(() -> ClientAddress.ofPeer().ipv6Prefix(31))
        .hasMessage("IPv6 prefix must be from 32 to 128 bits, got 31");
    assertThatThrownBy(() -> ClientAddress.ofPeer().ipv6Prefix(129))
        .hasMessage("IPv6 prefix must be from 32 to 128 bits, got 129");
  }

  @Test
  void badRangesAreRefused() {
    assertThatThrownBy(() -> ClientAddress.trusting("10.0.0.0/33"))
        .hasMessage(
            "address range must look like '10.0.0.0/8' or '2001:db8::/32', got '10.0.0.0/33'");
    assertThatThrownBy(() -> ClientAddress.trusting("proxy.example.com"))
        .hasMessage(
            "address range must look like '10.0.0.0/8' or '2001:db8::/32', got"
                + " 'proxy.example.com'");
    assertThatThrownBy(() -> ClientAddress.trusting("10.1.2.3/8"))
        .hasMessage(
            "address range '10.1.2.3/8': must have no bits behind its prefix, did you mean"
                + " 10.0.0.0/8?");
  }

  @Test
  void aMappedRangeIsARangeOfIpv4() {
    ClientAddress address = ClientAddress.trusting("::ffff:10.0.0.0/104");
    assertThat(address.of(SentRequest.from("10.9.9.9").header("X-Forwarded-For", "203.0.113.7")))
        .hasValue("203.0.113.7");
    assertThatThrownBy(() -> ClientAddress.trusting("::ffff:10.0.0.0/8"))
        .hasMessage(
            "address range must look like '10.0.0.0/8' or '2001:db8::/32', got"
                + " '::ffff:10.0.0.0/8'");
  }
}

package dev.sluice.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The address that a server listens on. */
final class Bind {
  private Bind() {}

  static InetSocketAddress address(String bind, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByName(bind), port);
    } catch (UnknownHostException unknown) {
      throw new StartupException("--bind '%s': no such address".formatted(bind), unknown);
    }
  }

  static boolean isLoopback(String bind) {
    return address(bind, 0).getAddress().isLoopbackAddress();
  }

  /** An address as the ready line shows it: {@code 127.0.0.1:8080}, {@code [::1]:8080}. */
  static String text(String bind, int port) {
    return (bind.indexOf(':') >= 0 ? "[" + bind + "]" : bind) + ":" + port;
  }
}

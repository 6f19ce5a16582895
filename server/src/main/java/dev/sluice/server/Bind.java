package dev.sluice.server;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** The address that a server listens on. */
final class Bind {
  private Bind() {}

  static InetSocketAddress address(String face, String bind, int port) {
    if (port < 0 || port > 65_535) {
      throw new StartupException("%s port %d: must be from 0 to 65535".formatted(face, port), null);
    }
    if (bind.isEmpty()) {
      throw new StartupException("--bind: must not be empty", null);
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(bind), port);
    } catch (UnknownHostException unknown) {
      throw new StartupException("--bind '%s': no such address".formatted(bind), unknown);
    }
  }

  static boolean isLoopback(String bind) {
    return address("any", bind, 0).getAddress().isLoopbackAddress();
  }

  /** An address as the ready line shows it: {@code 127.0.0.1:8080}, {@code [::1]:8080}. */
  static String text(String bind, int port) {
    boolean bare = bind.indexOf(':') >= 0 && !bind.startsWith("[");
    return (bare ? "[" + bind + "]" : bind) + ":" + port;
  }
}

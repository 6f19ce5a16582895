package dev.sluice.server.resp;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What a connection has said about itself. Used by its event loop only. */
final class Session {
  private static final AtomicLong IDS = new AtomicLong();

  private final long id = IDS.incrementAndGet();
  private final InetSocketAddress address;
  private final Order order = new Order();
  private int protocol = 2;
  private String name = "";
  private boolean closing;
  private byte[] lastName = {};
  private @Nullable CommandSpec last;
  private ThrottleCommands.@Nullable Asked lastAsked;

  Session(InetSocketAddress address) {
    this.address = address;
  }

  /** The last command, if it has this name: most clients repeat themselves. */
  @Nullable CommandSpec last(Command command) {
    return command.is(0, lastName) ? last : null;
  }

  void last(Command command, CommandSpec spec) {
    this.lastName = command.bytes(0);
    this.last = spec;
  }

  /** The last limit that was asked for. */
  ThrottleCommands.@Nullable Asked lastAsked() {
    return lastAsked;
  }

  void lastAsked(ThrottleCommands.Asked asked) {
    this.lastAsked = asked;
  }

  Order order() {
    return order;
  }

  long id() {
    return id;
  }

  /** Address and port of the client, as Redis writes them. */
  String address() {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }

  InetAddress peer() {
    return address.getAddress();
  }

  boolean isResp3() {
    return protocol == 3;
  }

  int protocol() {
    return protocol;
  }

  void protocol(int chosen) {
    this.protocol = chosen;
  }

  String name() {
    return name;
  }

  void name(String chosen) {
    this.name = chosen;
  }

  /** Nothing more is read; the connection closes when its replies are out. */
  void close() {
    closing = true;
  }

  boolean isClosing() {
    return closing;
  }

  void reset() {
    protocol = 2;
    name = "";
  }
}

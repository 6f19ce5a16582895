package dev.sluice.server.resp;

import java.util.concurrent.atomic.AtomicLong;

/** What a connection has said about itself. Used by its event loop only. */
final class Session {
  private static final AtomicLong IDS = new AtomicLong();

  private final long id = IDS.incrementAndGet();
  private final String address;
  private int protocol = 2;
  private String name = "";
  private boolean closing;

  Session(String address) {
    this.address = address;
  }

  long id() {
    return id;
  }

  String address() {
    return address;
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

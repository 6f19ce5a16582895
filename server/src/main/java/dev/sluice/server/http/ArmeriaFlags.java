package dev.sluice.server.http;

import com.linecorp.armeria.common.FlagsProvider;

/** Defaults of Armeria that do not suit short requests. Found by its service loader. */
public final class ArmeriaFlags implements FlagsProvider {
  /** Made by {@link java.util.ServiceLoader}. */
  public ArmeriaFlags() {}

  @Override
  public int priority() {
    return 100;
  }

  /** HTTP/1.0 clients read until the end of the connection: they must not wait three seconds. */
  @Override
  public Long defaultHttp1ConnectionCloseDelayMillis() {
    return 0L;
  }
}

package dev.sluice.server.http;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The thread that accepts connections. It ends at once: nothing of it is left to be finished. */
final class Acceptor extends MultiThreadIoEventLoopGroup {
  private static final long LONGEST_SECONDS = 5;

  Acceptor(String threadName) {
    super(
        1,
        new DefaultThreadFactory(threadName),
        Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  /** Without the two seconds that it waits by default for new work. */
  @Override
  public Future<?> shutdownGracefully() {
    return shutdownGracefully(0, LONGEST_SECONDS, TimeUnit.SECONDS);
  }
}

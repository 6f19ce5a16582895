package dev.sluice.server.resp;

import dev.sluice.Sluice;
import dev.sluice.server.Face;
import dev.sluice.server.StartupException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;

/**
 * The RESP port of a {@link Sluice}: any Redis client can ask it. Listens from when it is made
 * until it is closed.
 */
public final class RespServer implements Face {
  private static final int BACKLOG = 1024;
  // Of events that a loop takes at once.
  private static final int ANY_NUMBER = 0;
  private static final long GRACE_SECONDS = 5;
  // For answers that wait for the store; beyond it clients have given up long ago.
  private static final long LAST_ANSWERS_SECONDS = 2;

  private final EventLoopGroup loops;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Channel listener;

  /**
   * Opens the port.
   *
   * @throws StartupException if the address cannot be listened on
   */
  public RespServer(Sluice sluice, RespOptions options) {
    boolean epoll = Epoll.isAvailable();
    IoHandlerFactory io =
        epoll
            ? EpollIoHandler.newFactory(ANY_NUMBER, LastLook::new)
            : NioIoHandler.newFactory(SelectorProvider.provider(), LastLook::new);
    Class<? extends ServerChannel> channel =
        epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    int threads = Runtime.getRuntime().availableProcessors();
    this.loops =
        new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("sluice-resp"), io);
    try {
      this.listener =
          new ServerBootstrap()
              .group(loops)
              .channel(channel)
              .option(ChannelOption.SO_BACKLOG, BACKLOG)
              .option(ChannelOption.SO_REUSEADDR, true)
              .childOption(ChannelOption.TCP_NODELAY, true)
              .childHandler(new Accept(sluice, options))
              .bind(options.host(), options.port())
              .sync()
              .channel();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      stopLoops();
      throw new StartupException("resp port: interrupted while it was opened", interrupted);
    } catch (Exception refused) {
      stopLoops();
      throw new StartupException(
          "resp port %d: cannot listen on %s: %s"
              .formatted(options.port(), options.host(), reason(refused)),
          refused);
    }
  }

  private static String reason(Exception refused) {
    String message = String.valueOf(refused.getMessage());
    return message.contains("in use") ? "already in use" : message;
  }

  /** Prepares each connection. */
  private final class Accept extends ChannelInitializer<Channel> {
    private final RespOptions options;
    private final ServerFacts facts;
    private final CommandTable table = new CommandTable();

    Accept(Sluice sluice, RespOptions options) {
      this.options = options;
      this.facts = new ServerFacts(options.maxConnections());
      table.add(new ThrottleCommands(sluice, options).specs());
      table.add(new CheckCommands(sluice, options.inMemory()).specs());
      table.add(new ConnectionCommands(options.password(), facts).specs());
      table.add(ClientCommand.specs());
      table.add(new ServerCommands(table, facts).specs());
    }

    @Override
    protected void initChannel(Channel channel) {
      connections.add(channel);
      long idle = options.idleTimeout().toMillis();
      channel
          .pipeline()
          .addLast(new IdleStateHandler(0, 0, idle, TimeUnit.MILLISECONDS))
          .addLast(
              facts.connected()
                  ? new RespConnection(table, facts, options.commandTimeout())
                  : new Refusal(facts));
    }
  }

  @Override
  public String name() {
    return "resp";
  }

  @Override
  public int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Stops accepting, answers what has been asked, and closes. */
  @Override
  public void close() {
    if (loops.isShuttingDown()) {
      return;
    }
    listener.close().awaitUninterruptibly();
    drain(Drain.WHEN_IDLE, GRACE_SECONDS);
    drain(Drain.NOW, LAST_ANSWERS_SECONDS);
    connections.close().awaitUninterruptibly();
    stopLoops();
  }

  private void drain(Drain how, long seconds) {
    connections.forEach(connection -> connection.pipeline().fireUserEventTriggered(how));
    connections.newCloseFuture().awaitUninterruptibly(seconds, TimeUnit.SECONDS);
  }

  private void stopLoops() {
    loops.shutdownGracefully(0, GRACE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}

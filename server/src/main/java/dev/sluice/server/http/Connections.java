package dev.sluice.server.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.sluice.server.Readiness;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * The connections of the HTTP port, and how they are asked to leave without losing a request.
 *
 * <p>HTTP/1.1: from when the server drains, every answer says that the connection ends with it.
 * Nothing can be lost by that, so it is said at once.
 *
 * <p>HTTP/2: a GOAWAY reaches a client while it has requests under way, and there are clients that
 * give these up (java.net.http before 17.0.17 and 24: JDK-8335181). So it waits until load
 * balancers have had their time to look elsewhere and connections are quiet. Then each gets GOAWAY
 * for all streams, a second in which requests on their way still arrive, the final GOAWAY, and its
 * end when the last answer is out. Armeria's own stop would cut streams after that second and
 * listen until the end, so both are done here, before it.
 */
final class Connections {
  // Connections that were accepted last have yet to say which protocol they speak.
  private static final Duration SETTLED = Duration.ofMillis(200);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

  private final Readiness readiness;
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  // Armeria keeps what it listens on to itself, but every connection knows where it came from.
  private final Set<Channel> listeners = ConcurrentHashMap.newKeySet();
  private volatile boolean leaving;

  Connections(Readiness readiness) {
    this.readiness = readiness;
  }

  void attach(ServerBuilder builder) {
    builder
        .childChannelPipelineCustomizer(pipeline -> opened(pipeline.channel()))
        .decorator(
            (delegate, context, request) -> {
              KeepAlive.sayOn(context);
              askToLeave(context);
              return delegate.serve(context, request);
            });
  }

  /** To be called before an answer: what was asked before the drain may be answered during it. */
  void askToLeave(ServiceRequestContext context) {
    boolean alone = !context.sessionProtocol().isMultiplex();
    if (alone && readiness.state() == Readiness.State.DRAINING) {
      context.setAdditionalResponseHeader(HttpHeaderNames.CONNECTION, "close");
    }
  }

  private void opened(Channel connection) {
    open.add(connection);
    listeners.add(connection.parent());
    if (leaving) {
      close(connection.parent());
    }
  }

  /** Listens no more, and returns when HTTP/2 clients have left, or after {@code longest}. */
  void leave(Duration longest) {
    leaving = true;
    listeners.forEach(Connections::close);
    ChannelGroup multiplexed = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    long started = System.nanoTime();
    long elapsed = 0;
    while (elapsed < SETTLED.toNanos() || (elapsed < longest.toNanos() && !multiplexed.isEmpty())) {
      for (Channel connection : open) {
        if (isMultiplexed(connection) && multiplexed.add(connection)) {
          close(connection);
        }
      }
      LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
      elapsed = System.nanoTime() - started;
    }
  }

  static boolean isMultiplexed(Channel connection) {
    return connection.pipeline().get(Http2ConnectionHandler.class) != null;
  }

  private static void close(Channel channel) {
    ChannelFuture unused = channel.close();
  }
}

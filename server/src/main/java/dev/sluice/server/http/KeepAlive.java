package dev.sluice.server.http;

import com.linecorp.armeria.common.logging.RequestLogProperty;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponse;

/**
 * Says with each answer that the connection stays. A client of HTTP/1.0 that asked for it, such as
 * {@code ab -k}, waits for the end of the connection otherwise; Armeria leaves the connection open
 * and does not say so.
 */
@ChannelHandler.Sharable
final class KeepAlive extends ChannelOutboundHandlerAdapter {
  private static final String NAME = "sluice-keep-alive";
  private static final KeepAlive ALL = new KeepAlive();

  private KeepAlive() {}

  /** To be called before an answer; the first of a connection of HTTP/1 counts for all. */
  static void sayOn(ServiceRequestContext context) {
    if (!context.sessionProtocol().isMultiplex()) {
      Channel channel = context.log().ensureAvailable(RequestLogProperty.SESSION).channel();
      if (channel != null && channel.pipeline().context(ALL) == null) {
        channel.pipeline().addLast(NAME, ALL);
      }
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    if (message instanceof HttpResponse response
        && !response.headers().contains(HttpHeaderNames.CONNECTION)) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
    super.write(context, message, promise);
  }
}

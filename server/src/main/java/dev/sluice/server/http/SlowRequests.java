package dev.sluice.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection that has sent something and got nothing back for too long: a header or a body
 * that never ends. Every whole request is answered sooner than that. Sits before anything that
 * parses, so each connection costs one timer. HTTP/2 and TLS connections are left to Armeria's own
 * limits: there a client may well send what nobody answers.
 */
final class SlowRequests extends ChannelDuplexHandler {
  private static final byte FIRST_OF_HTTP2_PREFACE = 'P';
  private static final byte SECOND_OF_HTTP2_PREFACE = 'R';

  private final Duration longest;
  private boolean started;
  private @Nullable ScheduledFuture<?> timer;

  SlowRequests(Duration longest) {
    this.longest = longest;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (!started && message instanceof ByteBuf bytes && isHttp2(bytes)) {
      cancel();
      context.pipeline().remove(this);
    } else if (timer == null) {
      timer =
          context
              .executor()
              .schedule(() -> close(context), longest.toMillis(), TimeUnit.MILLISECONDS);
    }
    started = true;
    super.channelRead(context, message);
  }

  /** PRI begins the preface; PUT and POST do not begin so. One byte alone waits under the timer. */
  private static boolean isHttp2(ByteBuf bytes) {
    return bytes.readableBytes() > 1
        && bytes.getByte(bytes.readerIndex()) == FIRST_OF_HTTP2_PREFACE
        && bytes.getByte(bytes.readerIndex() + 1) == SECOND_OF_HTTP2_PREFACE;
  }

  private static void close(ChannelHandlerContext context) {
    ChannelFuture unused = context.close();
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    cancel();
    super.write(context, message, promise);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    cancel();
    super.channelInactive(context);
  }

  private void cancel() {
    ScheduledFuture<?> waiting = timer;
    if (waiting != null) {
      waiting.cancel(false);
      timer = null;
    }
  }
}

package dev.sluice.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

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
 * Closes a connection that has sent something and got nothing back for too long, a header or a body
 * that never ends, and one that never sends anything. Every whole request is answered sooner than
 * that. Sits before anything that parses, so each connection costs one timer. HTTP/2 and TLS
 * connections are left to Armeria's own limits: there a client may well send what nobody answers.
 */
final class SlowRequests extends ChannelDuplexHandler {
  private static final byte[] HTTP2_PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII);

  private final Duration longest;
  private final Duration idle;
  private int prefaceSeen;
  private boolean started;
  private @Nullable ScheduledFuture<?> timer;

  SlowRequests(Duration longest, Duration idle) {
    this.longest = longest;
    this.idle = idle;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    closeAfter(context, idle);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (!started) {
      cancel();
      started = true;
    }
    if (message instanceof ByteBuf bytes && isHttp2(bytes)) {
      cancel();
      context.pipeline().remove(this);
    } else if (timer == null) {
      closeAfter(context, longest);
    }
    super.channelRead(context, message);
  }

  /** Whether the preface is complete; one that is only begun waits under the timer. */
  private boolean isHttp2(ByteBuf bytes) {
    for (int i = bytes.readerIndex(); prefaceSeen < HTTP2_PREFACE.length; i++) {
      if (i == bytes.writerIndex() || bytes.getByte(i) != HTTP2_PREFACE[prefaceSeen]) {
        return false;
      }
      prefaceSeen++;
    }
    return true;
  }

  private void closeAfter(ChannelHandlerContext context, Duration patience) {
    timer =
        context
            .executor()
            .schedule(() -> close(context), patience.toMillis(), TimeUnit.MILLISECONDS);
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

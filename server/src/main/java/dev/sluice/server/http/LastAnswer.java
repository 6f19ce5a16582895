package dev.sluice.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Has the last answer of a connection arrive. Where a server closes a connection on which bytes
 * have come that it did not read, as those of a body that is too large, the system resets it, and
 * an answer on its way is lost. So it says that nothing more is answered, and throws away what
 * comes until the client closes, too, within bounds. HTTP/2 has words of its own for that.
 */
final class LastAnswer extends ChannelDuplexHandler {
  private static final int MOST_BYTES = 16 << 20;
  private static final String STATUS_LINE = "HTTP/1.1 ";
  // What may be said before a request is whole.
  private static final Set<String> EARLY = Set.of("400", "408", "413", "414", "431");

  private final Duration longest;
  // Of TLS nothing can be read here.
  private boolean early = true;
  private boolean ending;
  private int thrownAway;

  LastAnswer(Duration longest) {
    this.longest = longest;
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // whoever closes waits for the promise
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    Channel channel = context.channel();
    if (!(channel instanceof DuplexChannel connection)
        || !early
        || !channel.isActive()
        || Connections.isMultiplexed(channel)) {
      context.close(promise);
      return;
    }
    channel.closeFuture().addListener(closed -> promise.trySuccess());
    if (!ending) {
      ending = true;
      channel.config().setAutoRead(true);
      connection.shutdownOutput();
      Future<?> timer =
          context
              .executor()
              .schedule(() -> context.close(), longest.toMillis(), TimeUnit.MILLISECONDS);
      channel.closeFuture().addListener(closed -> timer.cancel(false));
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    int before = STATUS_LINE.length();
    if (message instanceof ByteBuf bytes && bytes.readableBytes() >= before + 3) {
      String start = bytes.toString(bytes.readerIndex(), before + 3, StandardCharsets.US_ASCII);
      early = start.startsWith(STATUS_LINE) ? EARLY.contains(start.substring(before)) : early;
    }
    super.write(context, message, promise);
  }

  /** That the output is shut would only puzzle Armeria, which warns of what it does not expect. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (!ending) {
      context.fireUserEventTriggered(event);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!ending) {
      context.fireChannelRead(message);
      return;
    }
    thrownAway += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    ReferenceCountUtil.release(message);
    if (thrownAway > MOST_BYTES) {
      ChannelFuture unused = context.close();
    }
  }
}

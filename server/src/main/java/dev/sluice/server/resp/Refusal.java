package dev.sluice.server.resp;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;

/** Tells one client too many so, as Redis does. */
final class Refusal extends ChannelInboundHandlerAdapter {
  private static final String TOO_MANY = "-ERR max number of clients reached\r\n";

  private final ServerFacts facts;

  Refusal(ServerFacts facts) {
    this.facts = facts;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ChannelFuture unused =
        ctx.writeAndFlush(ByteBufUtil.writeAscii(ctx.alloc(), TOO_MANY))
            .addListener(ChannelFutureListener.CLOSE);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ReferenceCountUtil.release(message);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    facts.disconnected();
  }
}

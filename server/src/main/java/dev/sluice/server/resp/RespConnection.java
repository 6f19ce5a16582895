package dev.sluice.server.resp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client. Commands are run as they arrive; replies leave in the same order, whichever decision
 * is ready first, and all that are ready leave in one write.
 *
 * <p>A client that does not read, or that has too many decisions under way, is not read from until
 * that is over: what it has sent waits in its own socket. Everything runs on the connection's event
 * loop.
 */
final class RespConnection extends ChannelInboundHandlerAdapter {
  private static final Logger log = LoggerFactory.getLogger(RespConnection.class);
  private static final int MOST_WAITING = 1024;
  private static final int LARGEST_BATCH = 64 * 1024;
  private static final long SILENCE_MILLIS = 50;

  private final CommandTable table;
  private final ServerFacts facts;
  private final Duration commandTimeout;
  private final CommandParser parser = new CommandParser();
  private final Queue<CompletableFuture<Reply>> waiting = new ArrayDeque<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private @Nullable Session session;
  private @Nullable ReplyWriter replies;
  private @Nullable ByteBuf unread;
  private @Nullable ScheduledFuture<?> patience;
  private long completed;

  RespConnection(CommandTable table, ServerFacts facts, Duration commandTimeout) {
    this.table = table;
    this.facts = facts;
    this.commandTimeout = commandTimeout;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    Session mine = new Session((InetSocketAddress) ctx.channel().remoteAddress());
    session = mine;
    replies = new ReplyWriter(mine);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    ByteBuf before = unread;
    try {
      // On the heap, where the parser wants it.
      unread =
          (before == null ? ctx.alloc().heapBuffer(in.readableBytes()) : before).writeBytes(in);
    } finally {
      in.release();
    }
    work(ctx);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    flush(ctx);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    work(ctx);
    flush(ctx);
  }

  private void work(ChannelHandlerContext ctx) {
    int commands = 0;
    try {
      while (unread != null && !session().isClosing() && !isCongested(ctx)) {
        Command command = parser.next(unread);
        if (command == null) {
          break;
        }
        commands++;
        run(ctx, command);
      }
    } catch (ProtocolException notResp) {
      answer(ctx, Reply.error("ERR " + notResp.getMessage()));
      session().close();
    }
    facts.commands(commands);
    completed += commands;
    tidy(ctx);
    ctx.channel().config().setAutoRead(!session().isClosing() && !isCongested(ctx));
  }

  private void run(ChannelHandlerContext ctx, Command command) {
    answer(ctx, table.run(session(), command));
    if (replies().length() > LARGEST_BATCH) {
      flush(ctx);
    }
  }

  private boolean isCongested(ChannelHandlerContext ctx) {
    return waiting.size() >= MOST_WAITING || !ctx.channel().isWritable();
  }

  /** Lets go of bytes that were read, and gives an unfinished command a time to be finished. */
  private void tidy(ChannelHandlerContext ctx) {
    ByteBuf rest = unread;
    if (rest != null && (!rest.isReadable() || session().isClosing())) {
      rest.release();
      unread = null;
    } else if (rest != null) {
      rest.discardSomeReadBytes();
    }
    boolean unfinished = parser.isInside() || unread != null;
    if (unfinished && !isCongested(ctx) && patience == null) {
      waitForTheRest(ctx);
    } else if (!unfinished) {
      stopWaiting();
    }
  }

  private void stopWaiting() {
    if (patience != null) {
      patience.cancel(false);
      patience = null;
    }
  }

  /** A long pipeline may be cut inside a command at every read: only one that stands still ends. */
  private void waitForTheRest(ChannelHandlerContext ctx) {
    long before = completed;
    Runnable look =
        () -> {
          patience = null;
          if (completed == before && !isCongested(ctx)) {
            close(ctx);
          } else {
            tidy(ctx);
          }
        };
    patience = ctx.executor().schedule(look, commandTimeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void answer(ChannelHandlerContext ctx, Answer answer) {
    if (answer instanceof Answer.Later later) {
      waiting.add(later.reply());
      CompletableFuture<Reply> unused = later.reply().whenComplete((ready, never) -> wake(ctx));
    } else if (answer instanceof Reply reply) {
      if (waiting.isEmpty()) {
        reply.write(replies());
      } else {
        waiting.add(CompletableFuture.completedFuture(reply));
      }
    }
  }

  /** However many decisions become ready at once, the event loop is asked to look only once. */
  private void wake(ChannelHandlerContext ctx) {
    if (woken.compareAndSet(false, true)) {
      ctx.executor().execute(() -> drain(ctx));
    }
  }

  private void drain(ChannelHandlerContext ctx) {
    woken.set(false);
    for (CompletableFuture<Reply> first = waiting.peek();
        first != null && first.isDone();
        first = waiting.peek()) {
      first.join().write(replies());
      waiting.remove();
    }
    work(ctx);
    flush(ctx);
  }

  private void flush(ChannelHandlerContext ctx) {
    int length = replies().length();
    if (length > 0) {
      ByteBuf buffer = ctx.alloc().ioBuffer(length);
      replies().moveTo(buffer);
      // A write that fails closes the connection by itself.
      ChannelFuture unused = ctx.writeAndFlush(buffer, ctx.voidPromise());
    }
    if (session().isClosing() && waiting.isEmpty()) {
      ChannelFuture unused =
          ctx.writeAndFlush(ctx.alloc().buffer(0, 0)).addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** What was sent before the client could know may still be on its way: it ends in silence. */
  private void finishWhenIdle(ChannelHandlerContext ctx, long before) {
    Runnable look =
        () -> {
          if (completed == before && waiting.isEmpty() && unread == null && !parser.isInside()) {
            finish(ctx);
          } else {
            finishWhenIdle(ctx, completed);
          }
        };
    ScheduledFuture<?> unused =
        ctx.executor().schedule(look, SILENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void finish(ChannelHandlerContext ctx) {
    session().close();
    flush(ctx);
  }

  private static void close(ChannelHandlerContext ctx) {
    ChannelFuture unused = ctx.close();
  }

  private Session session() {
    return Objects.requireNonNull(session, "session");
  }

  private ReplyWriter replies() {
    return Objects.requireNonNull(replies, "replies");
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof IdleStateEvent) {
      close(ctx);
    } else if (event == Drain.WHEN_IDLE) {
      finishWhenIdle(ctx, completed);
    } else if (event == Drain.NOW) {
      finish(ctx);
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    facts.disconnected();
    ReferenceCountUtil.safeRelease(unread);
    unread = null;
    stopWaiting();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable failure) {
    if (!(failure instanceof IOException)) {
      log.warn("a RESP connection is closed after a failure", failure);
    }
    close(ctx);
  }
}

package dev.sluice.bench.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.client.grpc.protocol.UnaryGrpcClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import com.linecorp.armeria.common.SessionProtocol;
import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServiceRequestContext;
import com.linecorp.armeria.server.grpc.protocol.AbstractUnaryGrpcService;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The floor: servers of the same libraries that give the answer Sluice gave once to whatever they
 * are asked. Takes Sluice's HTTP port, prints its own two ports.
 */
final class ConstantProcess {
  private ConstantProcess() {}

  public static void main(String[] args) throws InterruptedException {
    String sluice = "127.0.0.1:" + args[0];
    AggregatedHttpResponse decision =
        WebClient.of("h1c://" + sluice).get(Questions.HTTP_PATH).aggregate().join();
    byte[] verdict =
        new UnaryGrpcClient(WebClient.of("h2c://" + sluice))
            .execute(Questions.GRPC_PATH, Questions.grpcMessage())
            .join();
    Server http =
        Server.builder()
            .port(new InetSocketAddress("127.0.0.1", 0), SessionProtocol.HTTP)
            .disableServerHeader()
            .service("/v1/check/{policy}/{key}", (context, request) -> decision.toHttpResponse())
            .service(Questions.GRPC_PATH, new ConstantGrpc(verdict))
            .build();
    http.start().join();
    System.out.println(http.activeLocalPort() + " " + resp());
  }

  private static final class ConstantGrpc extends AbstractUnaryGrpcService {
    private final CompletableFuture<byte[]> answer;

    ConstantGrpc(byte[] answer) {
      this.answer = CompletableFuture.completedFuture(answer);
    }

    @Override
    protected CompletionStage<byte[]> handleMessage(ServiceRequestContext ctx, byte[] message) {
      return answer;
    }
  }

  private static int resp() throws InterruptedException {
    Channel listener =
        new ServerBootstrap()
            .group(
                new MultiThreadIoEventLoopGroup(
                    Runtime.getRuntime().availableProcessors(), EpollIoHandler.newFactory()))
            .channel(EpollServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new ConstantResp());
                  }
                })
            .bind("127.0.0.1", 0)
            .sync()
            .channel();
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Reads no more than it must to know how many answers are due. */
  private static final class ConstantResp extends ChannelInboundHandlerAdapter {
    private static final ByteBuf ANSWER =
        Unpooled.unreleasableBuffer(
            Unpooled.directBuffer()
                .writeBytes("*5\r\n:0\r\n:16\r\n:15\r\n:-1\r\n:2\r\n".getBytes(US_ASCII)));

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf in = (ByteBuf) message;
      ByteBuf out = context.alloc().ioBuffer();
      while (in.isReadable()) {
        if (in.readByte() == '*') {
          out.writeBytes(ANSWER, ANSWER.readerIndex(), ANSWER.readableBytes());
        }
      }
      in.release();
      context.write(out, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }
}

package dev.sluice.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** A call on its way through Lettuce: fails with {@link TransportException} and nothing else. */
final class LettuceCall extends CompletableFuture<List<Object>> {
  private static final byte[][] NONE = {};

  // Netty names the system call and its number before it says what happened.
  private static final Pattern NATIVE =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

  private final RedisFuture<List<Object>> command;

  @SuppressWarnings("FutureReturnValueIgnored") // the outcome is this
  private LettuceCall(RedisFuture<List<Object>> command) {
    this.command = command;
    // What fails before it was dispatched was refused, so it was never sent.
    RedisFailure cut = isRefused(command) ? RedisFailure.UNREACHABLE : RedisFailure.LOST;
    command.whenComplete(
        (reply, failure) -> {
          if (failure == null) {
            complete(reply);
          } else {
            completeExceptionally(of(failure, cut));
          }
        });
  }

  private static boolean isRefused(RedisFuture<?> command) {
    return command.isDone() && command.toCompletableFuture().isCompletedExceptionally();
  }

  static LettuceCall script(
      RedisClusterAsyncCommands<byte[], byte[]> server, Call call, Transport.Form form) {
    byte[][] keys = call.keys().toArray(NONE);
    byte[][] args = call.args().toArray(NONE);
    return new LettuceCall(
        switch (form) {
          case HASH -> server.evalsha(call.script().sha(), ScriptOutputType.MULTI, keys, args);
          case SOURCE -> server.eval(call.script().source(), ScriptOutputType.MULTI, keys, args);
        });
  }

  /** Both commands are written as one, so that no other call comes between them. */
  static LettuceCall asking(
      StatefulRedisConnection<byte[], byte[]> server, Call call, Transport.Form form) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add(form == Transport.Form.HASH ? call.script().sha() : call.script().source());
    args.add(call.keys().size()).addKeys(call.keys());
    call.args().forEach(args::add);
    AsyncCommand<byte[], byte[], List<Object>> script =
        new AsyncCommand<>(
            new Command<>(
                form == Transport.Form.HASH ? CommandType.EVALSHA : CommandType.EVAL,
                new NestedMultiOutput<>(ByteArrayCodec.INSTANCE),
                args));
    AsyncCommand<byte[], byte[], String> asking =
        new AsyncCommand<>(
            new Command<>(
                CommandType.ASKING,
                new StatusOutput<>(ByteArrayCodec.INSTANCE),
                new CommandArgs<>(ByteArrayCodec.INSTANCE)));
    server.dispatch(List.of(asking, script));
    return new LettuceCall(script);
  }

  static LettuceCall command(RedisClusterAsyncCommands<byte[], byte[]> server, String... words) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    for (int i = 1; i < words.length; i++) {
      args.add(words[i]);
    }
    byte[] name = words[0].getBytes(StandardCharsets.US_ASCII);
    ProtocolKeyword keyword =
        new ProtocolKeyword() {
          @Override
          public byte[] getBytes() {
            return name;
          }

          @Override
          public String toString() {
            return words[0];
          }
        };
    return new LettuceCall(
        server.dispatch(keyword, new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), args));
  }

  /** Keeps the command from being written, if it has not been yet. */
  @Override
  public boolean cancel(boolean mayInterrupt) {
    command.cancel(mayInterrupt);
    return super.cancel(mayInterrupt);
  }

  /**
   * Says in our words what went wrong.
   *
   * @param otherwise what it was if the server did not say anything
   */
  static TransportException of(@Nullable Throwable failure, RedisFailure otherwise) {
    Throwable cause = failure;
    while (cause != null) {
      if (cause instanceof TransportException known) {
        return known;
      }
      if (cause instanceof GeneralSecurityException) {
        return new TransportException(
            RedisFailure.UNTRUSTED,
            "the server's certificate is not trusted: " + cause.getMessage(),
            failure);
      }
      String text = cause.getMessage();
      if (cause instanceof RedisCommandExecutionException && text != null) {
        return TransportException.ofReply(text, failure);
      }
      if (text != null && text.contains("queue size exceeded")) {
        return new TransportException(RedisFailure.OVERLOAD, text, failure);
      }
      boolean wraps =
          cause instanceof CompletionException
              || cause instanceof RedisException
              || cause instanceof SSLException;
      cause = wraps ? cause.getCause() : null;
    }
    return new TransportException(
        otherwise,
        otherwise == RedisFailure.LOST
            ? "the connection was lost before the answer"
            : failure == null ? "not connected" : text(root(failure)),
        failure);
  }

  /** What was wrong in the first place. */
  static Throwable root(Throwable failure) {
    Throwable cause = failure;
    for (Throwable next = cause.getCause(); next != null; next = next.getCause()) {
      cause = next;
    }
    return cause;
  }

  private static String text(Throwable cause) {
    String text = cause.getMessage();
    return text == null ? cause.getClass().getSimpleName() : NATIVE.matcher(text).replaceFirst("");
  }
}

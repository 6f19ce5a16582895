package dev.sluice.redis;

import dev.sluice.redis.testkit.RedisServer;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A plain connection that sends many calls before it reads the replies: fast enough to walk
 * hundreds of thousands of steps. Scripts can be changed on their way, to see whether a test
 * notices.
 */
final class Pipeline implements AutoCloseable {
  private final Socket socket;
  private final OutputStream out;
  private final DataInputStream in;
  private final UnaryOperator<String> change;
  private final Map<Script, byte[]> loaded = new HashMap<>();

  Pipeline(RedisServer server, UnaryOperator<String> change) {
    try {
      this.socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(10_000);
      this.out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
      this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
      this.change = change;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs the calls in order; a reply is a list as of a {@link Wire}, or the text of an error. */
  List<Object> run(List<Call> calls) {
    for (Call call : calls) {
      loaded.computeIfAbsent(call.script(), this::load);
    }
    try {
      for (Call call : calls) {
        List<byte[]> words = new ArrayList<>();
        words.add(text("EVALSHA"));
        words.add(loaded.get(call.script()));
        words.add(text(Integer.toString(call.keys().size())));
        words.addAll(call.keys());
        words.addAll(call.args());
        send(words);
      }
      out.flush();
      List<Object> replies = new ArrayList<>();
      for (int i = 0; i < calls.size(); i++) {
        Object reply = receive();
        replies.add(reply instanceof byte[] ? List.of(reply) : reply);
      }
      return replies;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Object command(String... words) {
    return commands(List.of(List.of(words))).get(0);
  }

  List<Object> commands(List<List<String>> commands) {
    try {
      for (List<String> words : commands) {
        send(words.stream().map(word -> word.getBytes(StandardCharsets.ISO_8859_1)).toList());
      }
      out.flush();
      List<Object> replies = new ArrayList<>();
      for (int i = 0; i < commands.size(); i++) {
        replies.add(asText(receive()));
      }
      return replies;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object asText(Object reply) {
    if (reply instanceof List<?> list) {
      return list.stream().map(Pipeline::asText).toList();
    }
    return reply instanceof byte[] bytes ? new String(bytes, StandardCharsets.ISO_8859_1) : reply;
  }

  private byte[] load(Script script) {
    Object sha = command("SCRIPT", "LOAD", change.apply(script.source()));
    return text(String.valueOf(sha));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private void send(List<byte[]> words) throws IOException {
    out.write(text("*" + words.size() + "\r\n"));
    for (byte[] word : words) {
      out.write(text("$" + word.length + "\r\n"));
      out.write(word);
      out.write('\r');
      out.write('\n');
    }
  }

  private Object receive() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+', '-' -> rest;
      case ':' -> Long.parseLong(rest);
      case '$' -> {
        int length = Integer.parseInt(rest);
        byte[] bytes = in.readNBytes(Math.max(0, length));
        if (length >= 0) {
          in.skipNBytes(2);
        }
        yield bytes;
      }
      case '*' -> {
        List<Object> all = new ArrayList<>();
        for (int i = Integer.parseInt(rest); i > 0; i--) {
          all.add(receive());
        }
        yield all;
      }
      default -> throw new IOException("reply must be of RESP2, got " + line);
    };
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new IOException("the server has closed the connection");
      }
      line.append((char) c);
    }
    in.skipNBytes(1);
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package dev.sluice.redis.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * A RESP server that answers the handshake of clients as Redis does, and scripts as it was told.
 *
 * <p>For the wording of errors that a real server cannot easily be brought to say. Whatever counts
 * is to be tested on {@link RedisServer}. Replies are raw: {@code -LOADING Redis is loading the
 * dataset in memory}; only the line end is added. At most {@value #MAX_CONNECTIONS} connections;
 * its threads are daemons. Safe for use by several threads.
 */
public final class FakeRedis implements AutoCloseable {
  /** How many connections there can be at once. */
  public static final int MAX_CONNECTIONS = 64;

  private static final int MAX_COMMANDS = 10_000;
  private static final String UNSCRIPTED = "-ERR fake: no reply is left for this script call";

  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Map<String, String> answers = new ConcurrentHashMap<>();
  private final Queue<String> scriptReplies = new ConcurrentLinkedQueue<>();
  private final Queue<List<String>> commands = new LinkedBlockingQueue<>(MAX_COMMANDS);

  private FakeRedis(ServerSocket listener) {
    this.listener = listener;
  }

  /** Starts a server on a free loopback port. */
  public static FakeRedis start() {
    try {
      ServerSocket listener = new ServerSocket();
      listener.bind(ReservedPort.loopback(0));
      FakeRedis fake = new FakeRedis(listener);
      daemon("accept", fake::acceptLoop);
      return fake;
    } catch (IOException e) {
      throw new UncheckedIOException("fake: cannot listen", e);
    }
  }

  /** The port it listens on. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Where clients connect. */
  public String uri() {
    return "redis://127.0.0.1:" + port();
  }

  /** Adds raw replies for the next EVALSHA or EVAL calls, one each, whoever makes them. */
  public FakeRedis reply(String... raw) {
    scriptReplies.addAll(List.of(raw));
    return this;
  }

  /**
   * Answers a command always with this raw reply, EVALSHA and EVAL included when no {@link #reply}
   * is left.
   *
   * @param command one word, {@code INFO}, or with its subcommand, {@code CLUSTER SLOTS}
   */
  public FakeRedis answer(String command, String raw) {
    answers.put(command.toUpperCase(Locale.ROOT), raw);
    return this;
  }

  /** The commands received, oldest first, word by word; no more than the first 10,000. */
  public List<List<String>> commands() {
    return List.copyOf(commands);
  }

  /** How many connections there are. */
  public int connections() {
    return open.size();
  }

  /** Stops listening and closes all connections. */
  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("fake: cannot close", e);
    }
  }

  private void acceptLoop() {
    while (true) {
      try {
        Socket socket = listener.accept();
        if (open.size() >= MAX_CONNECTIONS) {
          socket.close();
          continue;
        }
        socket.setTcpNoDelay(true);
        open.add(socket);
        daemon("serve", () -> serve(socket));
      } catch (IOException e) {
        if (listener.isClosed()) {
          return;
        }
      }
    }
  }

  private void serve(Socket socket) {
    try (Resp resp = Resp.over(socket, StandardCharsets.UTF_8)) {
      while (true) {
        List<String> words = Resp.asList(resp.receive()).stream().map(Object::toString).toList();
        commands.offer(words);
        resp.write((answerTo(words) + "\r\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (IOException | UncheckedIOException clientLeft) {
      return;
    } finally {
      open.remove(socket);
    }
  }

  private String answerTo(List<String> words) {
    String command = words.get(0).toUpperCase(Locale.ROOT);
    String sub = words.size() > 1 ? words.get(1).toUpperCase(Locale.ROOT) : "";
    if (command.equals("EVALSHA") || command.equals("EVAL")) {
      String next = scriptReplies.poll();
      return next != null ? next : answers.getOrDefault(command, UNSCRIPTED);
    }
    String told = answers.getOrDefault(command + " " + sub, answers.get(command));
    return told != null ? told : usualAnswer(command, sub, words);
  }

  private static String usualAnswer(String command, String sub, List<String> words) {
    return switch (command) {
      case "HELLO" -> hello(sub);
      case "PING" -> "+PONG";
      case "ECHO" -> bulk(words.get(1));
      case "CLIENT" -> sub.equals("ID") ? ":1" : "+OK";
      case "AUTH", "SELECT", "READONLY", "QUIT" -> "+OK";
      case "SCRIPT" -> sub.equals("LOAD") ? bulk(sha1(words.get(2))) : "+OK";
      case "INFO" -> bulk("# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\n");
      case "CONFIG", "COMMAND" -> "*0";
      default -> "-ERR unknown command '%s'".formatted(words.get(0));
    };
  }

  private static String hello(String protocol) {
    String type = protocol.equals("3") ? "%7" : "*14";
    String number = protocol.equals("3") ? ":3" : ":2";
    return String.join(
        "\r\n",
        List.of(
            type,
            bulk("server"),
            bulk("redis"),
            bulk("version"),
            bulk("7.0.15"),
            bulk("proto"),
            number,
            bulk("id"),
            ":1",
            bulk("mode"),
            bulk("standalone"),
            bulk("role"),
            bulk("master"),
            bulk("modules"),
            "*0"));
  }

  private static String bulk(String text) {
    return "$%d\r\n%s".formatted(text.getBytes(StandardCharsets.UTF_8).length, text);
  }

  private static String sha1(String script) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      return HexFormat.of().formatHex(sha1.digest(script.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-1", e);
    }
  }

  private static void daemon(String name, Runnable work) {
    Thread thread = new Thread(work, "fake-redis-" + name);
    thread.setDaemon(true);
    thread.start();
  }
}

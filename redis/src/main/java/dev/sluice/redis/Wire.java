package dev.sluice.redis;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * A connection whose user waits for the reply on his own thread. One user at a time; only {@link
 * #close} and {@link #aboard} are for others too.
 */
final class Wire {
  private final WireSocket socket;
  private final Sender connection;
  private final Lookout lookout = new Lookout(Runtime.getRuntime().availableProcessors());
  // Null once it was cut.
  private final AtomicReference<@Nullable List<Ticket>> aboard = new AtomicReference<>(List.of());
  private volatile boolean closed;

  /** Jedis sends when it reads; who looks for a reply before he reads has to send before that. */
  private static final class Sender extends Connection {
    Sender(WireSocket socket, JedisClientConfig settings) {
      super(socket, settings);
    }

    void send() {
      flush();
    }
  }

  private Wire(WireSocket socket, Sender connection) {
    this.socket = socket;
    this.connection = connection;
  }

  /** Connects, which takes at most the time that the options give it. */
  static Wire open(RedisAddress address, RedisOptions options, RedisAddress.Node node)
      throws TransportException {
    WireSocket socket = new WireSocket(address, options, node);
    try {
      Wire made = new Wire(socket, new Sender(socket, settings(address)));
      socket.waitForever();
      return made;
    } catch (JedisException | IOException failed) {
      socket.close();
      throw problem(failed, RedisFailure.UNREACHABLE);
    }
  }

  private static DefaultJedisClientConfig settings(RedisAddress address) {
    return DefaultJedisClientConfig.builder()
        .serverDefaultProtocol()
        .clientSetInfoConfig(ClientSetInfoConfig.DISABLED)
        .clientName(LettuceSettings.CLIENT_NAME)
        .user(address.user())
        .password(address.password())
        .database(address.database())
        .build();
  }

  /** Puts a call into the buffer; it leaves with {@link #lookOut} or {@link #read}, or earlier. */
  void write(Call call, Transport.Form form) throws TransportException {
    byte[][] words = new byte[2 + call.keys().size() + call.args().size()][];
    Script script = call.script();
    words[0] = Prepared.text(form == Transport.Form.HASH ? script.sha() : script.source());
    words[1] = Prepared.text(Integer.toString(call.keys().size()));
    int next = 2;
    for (byte[] key : call.keys()) {
      words[next++] = key;
    }
    for (byte[] arg : call.args()) {
      words[next++] = arg;
    }
    try {
      connection.sendCommand(form == Transport.Form.HASH ? Command.EVALSHA : Command.EVAL, words);
    } catch (JedisException failed) {
      throw problem(failed, RedisFailure.LOST);
    }
  }

  /** Sends what was written, and does not sleep for a moment in which the reply may come. */
  void lookOut() throws TransportException {
    try {
      connection.send();
      lookout.lookFor(socket.replies());
    } catch (JedisException | IOException failed) {
      throw problem(failed, RedisFailure.LOST);
    }
  }

  /** The next reply: a list, or what the server said was wrong as a {@link TransportException}. */
  Object read() throws TransportException {
    try {
      Object reply = connection.getOne();
      return reply instanceof List ? reply : List.of(reply);
    } catch (JedisDataException said) {
      return problem(said, RedisFailure.ERR);
    } catch (JedisException failed) {
      throw problem(failed, RedisFailure.LOST);
    }
  }

  /** Whether the other end still answers, in the time that a connection may take to be made. */
  boolean alive() {
    try {
      socket.waitBriefly();
      boolean answers = connection.ping();
      socket.waitForever();
      return answers;
    } catch (JedisException | IOException gone) {
      return false;
    }
  }

  private static TransportException problem(Exception failed, RedisFailure otherwise) {
    String text = failed.getMessage();
    if (failed instanceof JedisDataException && text != null) {
      return TransportException.ofReply(text, failed);
    }
    return LettuceCall.of(failed, otherwise);
  }

  /** Whose requests are on their way. */
  List<Ticket> aboard() {
    List<Ticket> tickets = aboard.get();
    return tickets == null ? List.of() : tickets;
  }

  void carry(List<Ticket> tickets) {
    aboard.set(tickets);
  }

  /** Nobody is aboard any more; false if the wire was cut before. */
  boolean unload() {
    return aboard.getAndSet(List.of()) != null;
  }

  /**
   * Whether these are still aboard; then the wire is never used again and must be closed. Whoever
   * uses it next must not be harmed.
   */
  boolean cut(List<Ticket> given) {
    return aboard.compareAndSet(given, null);
  }

  /** Ends the connection; whoever waits for a reply on it is told that it was lost. */
  void close() {
    closed = true;
    socket.close();
  }

  boolean closed() {
    return closed;
  }
}

package dev.sluice.redis;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Where Redis is, as users write it: one server, a Unix socket, sentinels or a cluster. Immutable.
 * User name and password may be percent-encoded; {@link #toString} never shows the password.
 *
 * @param nodes one for a server, several for sentinels and clusters, none for a socket
 * @param socket the path of the Unix socket, else null
 * @param primaryName what the sentinels call the primary, else null
 */
public record RedisAddress(
    Kind kind,
    boolean tls,
    List<Node> nodes,
    @Nullable String socket,
    @Nullable String user,
    @Nullable String password,
    int database,
    @Nullable String primaryName) {
  /** How the servers behind an address work together. */
  public enum Kind {
    /** One server, over TCP. */
    SERVER,
    /** One server, over a Unix socket. */
    SOCKET,
    /** Sentinels that know which server is the primary. */
    SENTINEL,
    /** Nodes of a Redis Cluster; any of them knows the others. */
    CLUSTER
  }

  /** A host name or address, without brackets, and a port. */
  public record Node(String host, int port) {
    @Override
    public String toString() {
      return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
  }

  // Instead of a value that may be a password, or a part of one, where something is left out.
  private static final String HIDDEN = "…";
  private static final int REDIS_PORT = 6379;
  private static final int SENTINEL_PORT = 26379;
  private static final Map<String, Kind> KINDS =
      Map.of(
          "redis", Kind.SERVER,
          "rediss", Kind.SERVER,
          "redis-socket", Kind.SOCKET,
          "unix", Kind.SOCKET,
          "redis-sentinel", Kind.SENTINEL,
          "rediss-sentinel", Kind.SENTINEL,
          "redis-cluster", Kind.CLUSTER,
          "rediss-cluster", Kind.CLUSTER);

  /** Copies the list of nodes. */
  public RedisAddress {
    nodes = List.copyOf(nodes);
  }

  /** Whether a text begins like an address of Redis. */
  public static boolean understands(String text) {
    int end = text.indexOf("://");
    return end > 0 && KINDS.containsKey(text.substring(0, end).toLowerCase(Locale.ROOT));
  }

  /**
   * Reads an address, such as {@code redis://user:password@localhost:6379/0}.
   *
   * @throws IllegalArgumentException if it is none; the text says what is wrong, without the
   *     password
   */
  public static RedisAddress parse(String text) {
    if (!understands(text)) {
      String start = text.substring(0, Math.max(0, text.indexOf(':')));
      throw new IllegalArgumentException(
          "store address: must begin with redis://, rediss://, redis-socket://, "
              + "redis-sentinel:// or redis-cluster://, got '%s'"
                  .formatted(start.indexOf('@') < 0 ? start : HIDDEN));
    }
    int end = text.indexOf("://");
    String scheme = text.substring(0, end).toLowerCase(Locale.ROOT);
    return new Reader(scheme, text.substring(end + 3)).read();
  }

  /** The user, where the address names one. */
  public Optional<String> userName() {
    return Optional.ofNullable(user);
  }

  /** The address without its password. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(scheme()).append("://");
    if (user != null || password != null) {
      text.append(user == null ? "" : user).append(password == null ? "" : ":***").append('@');
    }
    text.append(nodes.stream().map(Node::toString).collect(Collectors.joining(",")));
    text.append(socket == null ? "" : socket);
    text.append(primaryName == null ? "" : "/" + primaryName);
    if (database > 0) {
      text.append(kind == Kind.SERVER ? "/" : "?db=").append(database);
    }
    return text.toString();
  }

  private String scheme() {
    String secure = tls ? "rediss" : "redis";
    return switch (kind) {
      case SERVER -> secure;
      case SOCKET -> "redis-socket";
      case SENTINEL -> secure + "-sentinel";
      case CLUSTER -> secure + "-cluster";
    };
  }

  /** Reads what follows {@code scheme://}. */
  private static final class Reader {
    private final String scheme;
    private final Kind kind;
    private final String rest;
    private @Nullable String user;
    private @Nullable String password;
    private int database;

    Reader(String scheme, String rest) {
      this.scheme = scheme;
      this.kind = java.util.Objects.requireNonNull(KINDS.get(scheme));
      this.rest = rest;
    }

    RedisAddress read() {
      String left = query(credentials(rest));
      boolean tls = scheme.startsWith("rediss");
      if (kind == Kind.SOCKET) {
        if (!left.startsWith("/") || left.length() == 1) {
          throw wrong("path of the socket must be absolute, as in /run/redis.sock", HIDDEN);
        }
        return new RedisAddress(kind, tls, List.of(), left, user, password, database, null);
      }
      int slash = left.indexOf('/');
      String hosts = slash < 0 ? left : left.substring(0, slash);
      String path = slash < 0 ? "" : left.substring(slash + 1);
      List<Node> nodes = nodes(hosts);
      String name = null;
      if (kind == Kind.SENTINEL) {
        if (path.isEmpty()) {
          throw wrong("needs the name of the primary after the hosts, as in /main", path);
        }
        if (path.indexOf('@') >= 0) {
          throw wrong(
              "name of the primary must have no @; / and @ of a password are written %2F and %40",
              HIDDEN);
        }
        name = decoded(path);
      } else if (kind == Kind.SERVER && !path.isEmpty()) {
        database = database(path);
      } else if (!path.isEmpty()) {
        throw wrong("a cluster has only database 0", HIDDEN);
      }
      return new RedisAddress(kind, tls, nodes, null, user, password, database, name);
    }

    /** The last @ ends the credentials: people forget to encode the one in their password. */
    private String credentials(String text) {
      int slash = text.indexOf('/');
      int at = text.lastIndexOf('@', slash < 0 ? text.length() : slash);
      // A slash inside the password is taken for one, if no @ stands before it.
      at = at < 0 && kind != Kind.SOCKET ? text.lastIndexOf('@') : at;
      if (at < 0) {
        return text;
      }
      String login = text.substring(0, at);
      int colon = login.indexOf(':');
      String name = decoded(colon < 0 ? login : login.substring(0, colon));
      user = name.isEmpty() ? null : name;
      password = colon < 0 ? null : decoded(login.substring(colon + 1));
      if (user != null && password == null) {
        throw wrong("a user needs a password, as in user:password@host", HIDDEN + "@");
      }
      return text.substring(at + 1);
    }

    private String query(String text) {
      int mark = text.indexOf('?');
      if (mark < 0) {
        return text;
      }
      for (String pair : text.substring(mark + 1).split("&", -1)) {
        if (!pair.startsWith("db=") || kind == Kind.CLUSTER) {
          // The name alone: some write a password there. Nothing if this may be one itself.
          int name = text.indexOf('@') < 0 ? pair.indexOf('=') : -1;
          throw wrong("unknown parameter", name < 0 ? HIDDEN : pair.substring(0, name));
        }
        database = database(pair.substring("db=".length()));
      }
      return text.substring(0, mark);
    }

    private List<Node> nodes(String hosts) {
      List<Node> nodes = new ArrayList<>();
      for (String host : hosts.split(",", -1)) {
        nodes.add(node(host));
      }
      if (kind == Kind.SERVER && nodes.size() > 1) {
        throw wrong("must name one host; several need redis-sentinel or redis-cluster", HIDDEN);
      }
      return nodes;
    }

    private Node node(String text) {
      int bracket = text.startsWith("[") ? text.indexOf(']') : 0;
      int colon = text.indexOf(':', Math.max(0, bracket));
      String host = colon < 0 ? text : text.substring(0, colon);
      if (bracket > 0) {
        host = host.substring(1, host.length() - 1);
      }
      if (host.isEmpty()) {
        throw wrong("host must not be empty", host);
      }
      String marks = bracket > 0 ? ".-_:%" : ".-_";
      if (!host.chars().allMatch(c -> Character.isLetterOrDigit(c) || marks.indexOf(c) >= 0)) {
        throw wrong("host must be a name or an address", HIDDEN);
      }
      if (colon < 0) {
        return new Node(host, kind == Kind.SENTINEL ? SENTINEL_PORT : REDIS_PORT);
      }
      return new Node(host, number("port", text.substring(colon + 1), 1, 65_535));
    }

    private int database(String text) {
      return number("database", text, 0, 1_000_000);
    }

    private int number(String what, String text, int least, int most) {
      // No number has more digits than the largest database.
      if (text.matches("[0-9]{1,7}")) {
        int number = Integer.parseInt(text);
        if (number >= least && number <= most) {
          return number;
        }
      }
      throw wrong("%s must be from %d to %d".formatted(what, least, most), HIDDEN);
    }

    private String decoded(String text) {
      try {
        // URLDecoder is for forms, where + is a space; in an address it is itself.
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
      } catch (IllegalArgumentException badPercent) {
        // Neither the text nor the cause, which quotes it, may be shown: it may be a password.
        throw new IllegalArgumentException(
            "store address '%s://…': a %% must be followed by two hexadecimal digits"
                .formatted(scheme));
      }
    }

    private IllegalArgumentException wrong(String rule, String shown) {
      return new IllegalArgumentException(
          "store address '%s://…': %s, got '%s'".formatted(scheme, rule, shown));
    }
  }
}

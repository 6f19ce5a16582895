package dev.sluice.server.resp;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the port tells about itself. */
final class ServerFacts {
  private static final Set<String> ALL = Set.of("ALL", "DEFAULT", "EVERYTHING");

  private final String version;
  private final int maxConnections;
  private final long started = System.nanoTime();
  private final AtomicInteger connections = new AtomicInteger();
  private final LongAdder connectionsReceived = new LongAdder();
  private final LongAdder commands = new LongAdder();

  ServerFacts(int maxConnections) {
    String built = ServerFacts.class.getPackage().getImplementationVersion();
    this.version = built == null ? "dev" : built;
    this.maxConnections = maxConnections;
  }

  String version() {
    return version;
  }

  /** Counts a connection; false if there are too many. */
  boolean connected() {
    connectionsReceived.increment();
    return connections.incrementAndGet() <= maxConnections;
  }

  void disconnected() {
    connections.decrementAndGet();
  }

  void commands(int more) {
    commands.add(more);
  }

  /**
   * The sections of {@code INFO} that clients look at.
   *
   * @param names those asked for, in capitals; none for all. Names of no section are passed over.
   */
  String info(List<String> names) {
    boolean all = names.isEmpty() || names.stream().anyMatch(ALL::contains);
    return Stream.of(sections().split("(?<=\n)\n", -1))
        .filter(section -> all || names.contains(name(section)))
        .collect(Collectors.joining("\n"))
        .replace("\n", "\r\n");
  }

  private static String name(String section) {
    return section.substring("# ".length(), section.indexOf('\n')).toUpperCase(Locale.ROOT);
  }

  private String sections() {
    return String.format(
        Locale.ROOT,
        """
        # Server
        sluice_version:%s
        redis_version:7.4.0
        redis_mode:standalone
        process_id:%d
        uptime_in_seconds:%d

        # Clients
        connected_clients:%d
        maxclients:%d

        # Persistence
        loading:0

        # Stats
        total_connections_received:%d
        total_commands_processed:%d

        # Replication
        role:master
        """,
        version,
        ProcessHandle.current().pid(),
        (System.nanoTime() - started) / 1_000_000_000,
        connections.get(),
        maxConnections,
        connectionsReceived.sum(),
        commands.sum());
  }
}

package dev.sluice.server.resp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Limit;
import dev.sluice.Sluice;
import dev.sluice.server.AdminToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RespProtocolTest {
  private final Sluice sluice = Sluice.inMemory();
  private RespServer server;
  private Wire wire;

  @BeforeEach
  void start() throws IOException {
    sluice.limiter("demo", Limit.parse("10/h burst 20"));
    sluice.limiter("slots", Limit.concurrency(1));
    server = new RespServer(sluice, RespOptions.on("127.0.0.1", 0));
    wire = new Wire(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    wire.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '`',
      value = {
        "PING                    => +PONG",
        "ping hello              => hello",
        "ECHO x                  => x",
        "SELECT 0                => +OK",
        "SELECT 1                => -ERR DB index is out of range",
        "SELECT x                => -ERR value is not an integer or out of range",
        "AUTH x                  => -ERR AUTH <password> called without any password configured for"
            + " the default user. Are you sure your configuration is correct?",
        "AUTH default x          => +OK",
        "AUTH other x            => -WRONGPASS invalid username-password pair or user is disabled.",
        "HELLO 4                 => -NOPROTO unsupported protocol version",
        "HELLO x                 => -ERR Protocol version is not an integer or out of range",
        "HELLO 3 BYE             => -ERR Syntax error in HELLO option 'BYE'",
        "CLIENT SETNAME me       => +OK",
        "CLIENT SETINFO LIB-NAME x => +OK",
        "CLIENT GETNAME          => nil",
        "CLIENT NO-EVICT ON      => +OK",
        "CLIENT SETNAME          => -ERR wrong number of arguments for 'client|setname' command",
        "CLIENT FOO              => -ERR unknown subcommand 'FOO'. Try CLIENT HELP.",
        "COMMAND COUNT           => 15",
        "COMMAND INFO nope       => [nil]",
        "COMMAND INFO del x Ping => `[[del, -2, [+write], 1, -1, 1, [+@keyspace, +@write, +@slow],"
            + " [], [], []], nil, [ping, -1, [+fast], 0, 0, 0, [+@connection, +@fast], [], [], []]]`",
        "COMMAND INFO sluice.peek => `[[sluice.peek, -3, [+readonly, +fast], 2, 2, 1, [+@sluice,"
            + " +@read, +@fast], [], [], []]]`",
        "COMMAND DOCS nope       => []",
        "COMMAND COUNT x         => -ERR wrong number of arguments for 'command|count' command",
        "COMMAND HELP x          => -ERR wrong number of arguments for 'command|help' command",
        "COMMAND FOO             => -ERR unknown subcommand 'FOO'. Try COMMAND HELP.",
        "CLIENT HELP x           => -ERR wrong number of arguments for 'client|help' command",
        "INFO nope               => ``",
        "RESET                   => +RESET",
        "GET                     => `-ERR unknown command 'GET', with args beginning with: `",
        "FOO a b                 => `-ERR unknown command 'FOO', with args beginning with: 'a' 'b'"
            + " `",
        "ECHO                    => -ERR wrong number of arguments for 'echo' command",
        "DEL                     => -ERR wrong number of arguments for 'del' command",
        "SLUICE.CHECK demo a     => [1, 20, 19, 0, 360000]",
        "SLUICE.CHECK demo a 21  => [0, 20, 20, -1, 0]",
        "SLUICE.PEEK demo a 20   => [1, 20, 20, 0, 0]",
        "SLUICE.CHECK nope a     => -ERR unknown policy 'nope'",
        "SLUICE.CHECK demo a 0   => -ERR cost must be from 1 to 1099511627776, got 0",
        "SLUICE.CHECK demo a x   => -ERR value is not an integer or out of range",
        "SLUICE.CHECK demo       => -ERR wrong number of arguments for 'sluice.check' command",
        "SLUICE.RELEASE x        => -ERR lease must be an id as it was given out, got 'x'"
      })
  void answersAsRedisWould(String words, String reply) throws IOException {
    assertThat(wire.ask(words.split(" ", -1))).isEqualTo(reply);
  }

  @Test
  void infoTellsTheSectionsThatItIsAskedFor() throws IOException {
    String persistence = "# Persistence\r\nloading:0\r\n";
    String replication = "# Replication\r\nrole:master\r\n";
    assertThat(wire.ask("INFO", "Persistence")).isEqualTo(persistence);
    assertThat(wire.ask("INFO", "replication", "nope", "persistence"))
        .isEqualTo(persistence + "\r\n" + replication);
    for (String[] all : new String[][] {{"INFO"}, {"INFO", "everything"}, {"INFO", "x", "ALL"}}) {
      assertThat(wire.ask(all))
          .startsWith("# Server\r\nsluice_version:")
          .contains("\r\n\r\n# Clients\r\nconnected_clients:1\r\n")
          .endsWith("\r\n\r\n" + replication);
    }
  }

  @Test
  void noLocaleChangesAReply() throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(wire.ask("INFO"))
          .contains("\r\nconnected_clients:1\r\nmaxclients:10000\r\n")
          .containsPattern("\r\nprocess_id:[0-9]+\r\nuptime_in_seconds:[0-9]+\r\n")
          .containsPattern(
              "\r\ntotal_connections_received:1\r\ntotal_commands_processed:[0-9]+\r\n");
      assertThat(wire.ask("CLIENT", "LIST"))
          .matches("id=[0-9]+ addr=127\\.0\\.0\\.1:[0-9]+ name= db=0 resp=2\n");
    } finally {
      Locale.setDefault(before);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"CLIENT", "COMMAND"})
  void helpNamesSubcommandsThatThereAre(String command) throws IOException {
    wire.send(Wire.command(command, "HELP"));
    String help = wire.reply();
    assertThat(help)
        .startsWith(
            "[+%s <subcommand> [<arg> [value] [opt] ...]. Subcommands are:, +".formatted(command))
        .endsWith(", +HELP, +    What you are reading.]");
    List<String> named =
        Pattern.compile("\\+([A-Z-]+)\\b(?! <sub)")
            .matcher(help)
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(named).hasSizeGreaterThan(4);
    for (String subcommand : named) {
      assertThat(wire.ask(command, subcommand)).doesNotStartWith("-ERR unknown subcommand");
    }
  }

  @Test
  void resp3HasDescriptionsInSets() throws IOException {
    wire.ask("HELLO", "3");
    assertThat(wire.ask("COMMAND", "INFO", "echo", "nope"))
        .isEqualTo("[[echo, 2, ~[+fast], 0, 0, 0, ~[+@connection, +@fast], ~[], ~[], ~[]], _]");
  }

  @Test
  void policyThatIsNoneIsShownInShort() throws IOException {
    assertThat(wire.ask("SLUICE.CHECK", "x".repeat(60_000), "a"))
        .isEqualTo("-ERR unknown policy '%s'".formatted("x".repeat(128)));
  }

  @Test
  void emptyKeyIsRefused() throws IOException {
    assertThat(wire.ask("SLUICE.CHECK", "demo", "")).isEqualTo("-ERR key must not be empty");
    assertThat(wire.ask("CL.THROTTLE", "", "1", "1", "1")).isEqualTo("-ERR key must not be empty");
  }

  @Test
  void leaseIsGivenAndReleasedOnce() throws IOException {
    String held = wire.ask("SLUICE.CHECK", "slots", "k");
    String lease = held.substring(held.lastIndexOf(' ') + 1, held.length() - 1);

    assertThat(held).startsWith("[1, 1, 0, 0, 60000, ");
    assertThat(wire.ask("SLUICE.CHECK", "slots", "k")).startsWith("[0, 1, 0, ");
    assertThat(wire.ask("SLUICE.RELEASE", lease)).isEqualTo("1");
    assertThat(wire.ask("SLUICE.RELEASE", lease)).isEqualTo("0");
    assertThat(wire.ask("SLUICE.CHECK", "slots", "k")).startsWith("[1, 1, 0, 0, ");
  }

  @Test
  void helloChoosesTheProtocol() throws IOException {
    assertThat(wire.ask("HELLO", "3", "SETNAME", "me")).startsWith("%[server, sluice, version, ");
    assertThat(wire.ask("CLIENT", "GETNAME")).isEqualTo("me");
    assertThat(wire.ask("RESET")).isEqualTo("+RESET");
    assertThat(wire.ask("HELLO", "2")).startsWith("[server, sluice, version, ");
    assertThat(wire.ask("HELLO", "3", "AUTH", "default", "any")).contains("proto, 3, ");
    assertThat(wire.ask("CLIENT", "GETNAME")).isEqualTo("_");
  }

  @Test
  void helloRefusesTheNamesThatClientRefuses() throws IOException {
    assertThat(wire.ask("HELLO", "3", "SETNAME", "a b\n"))
        .isEqualTo("-ERR Client names cannot contain spaces, newlines or special characters.");
    assertThat(wire.ask("CLIENT", "GETNAME")).isEqualTo("nil");
  }

  /** A page may make a browser send this, and what follows, to a port of its user's machine. */
  @ParameterizedTest
  @ValueSource(strings = {"POST / HTTP/1.1", "post", "Host: x"})
  void nothingIsReadAfterARequestOfHttp(String request) throws IOException {
    wire.send(request + "\r\nSLUICE.CHECK demo k\r\n");
    assertThat(wire.isClosedByServer()).isTrue();
    assertThat(sluice.limiter("demo").orElseThrow().peek("k").remaining()).isEqualTo(20);
  }

  @Test
  void passwordIsAskedForNothingButChecked() throws IOException {
    RespOptions options = RespOptions.on("127.0.0.1", 0).password(new AdminToken("s3cret"));
    try (RespServer locked = new RespServer(sluice, options);
        Wire client = new Wire(locked.port())) {
      assertThat(client.ask("AUTH", "wrong"))
          .isEqualTo("-WRONGPASS invalid username-password pair or user is disabled.");
      assertThat(client.ask("AUTH", "s3cret")).isEqualTo("+OK");
      assertThat(client.ask("HELLO", "3", "AUTH", "default", "wrong"))
          .isEqualTo("-WRONGPASS invalid username-password pair or user is disabled.");
      assertThat(client.ask("HELLO", "3", "AUTH", "default", "s3cret")).startsWith("%[");
    }
  }

  @Test
  void inlineCommandsAreForPeople() throws IOException {
    wire.send("PING\r\n\r\nECHO \"a \\x41\\n\"\nECHO 'it\\'s'\r\n");
    assertThat(wire.reply()).isEqualTo("+PONG");
    assertThat(wire.reply()).isEqualTo("a A\n");
    assertThat(wire.reply()).isEqualTo("it's");
  }

  @Test
  void commandsMayArriveByteByByte() throws IOException {
    for (byte b : Wire.command("ECHO", "slow").getBytes(StandardCharsets.US_ASCII)) {
      wire.send(new byte[] {b});
    }
    assertThat(wire.reply()).isEqualTo("slow");
  }

  @Test
  void emptyArraysAreNoCommands() throws IOException {
    assertThat(wire.send("*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n").reply()).isEqualTo("+PONG");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*1025\\r\\n            | -ERR Protocol error: invalid multibulk length",
        "*x\\r\\n               | -ERR Protocol error: invalid multibulk length",
        "*99999999999999999999\\r\\n | -ERR Protocol error: invalid multibulk length",
        "*1\\r\\n!4\\r\\n         | -ERR Protocol error: expected '$', got '!'",
        "*1\\r\\n$65537\\r\\n     | -ERR Protocol error: invalid bulk length",
        "*1\\r\\n$-1\\r\\n        | -ERR Protocol error: invalid bulk length",
        "*1\\r\\n$x\\r\\n         | -ERR Protocol error: invalid bulk length",
        "*1111111111111111111111111111111111 | -ERR Protocol error: too big mbulk count string",
        "ECHO \"x\\r\\n           | -ERR Protocol error: unbalanced quotes in request"
      })
  void bytesThatAreNotRespAreToldSoAndEndTheConnection(String bytes, String error)
      throws IOException {
    wire.send(bytes.replace("\\r", "\r").replace("\\n", "\n"));
    assertThat(wire.reply()).isEqualTo(error);
    assertThat(wire.isClosedByServer()).isTrue();
  }

  @Test
  void lineWithoutEndIsRefused() throws IOException {
    wire.send("x".repeat(CommandParser.LONGEST_WORD + 2));
    assertThat(wire.reply()).isEqualTo("-ERR Protocol error: too big inline request");
  }

  @Test
  void commandOfManyLargeWordsIsRefused() throws IOException {
    String large = "x".repeat(CommandParser.LONGEST_WORD);
    wire.send("*1024\r\n");
    for (int i = 0; i < 16; i++) {
      wire.send("$65536\r\n" + large + "\r\n");
    }
    wire.send("$1\r\n");
    assertThat(wire.reply()).isEqualTo("-ERR Protocol error: invalid bulk length");
  }

  @Test
  void quitAnswersEverythingBeforeIt() throws IOException {
    wire.send(Wire.command("PING") + Wire.command("QUIT") + Wire.command("PING"));
    assertThat(wire.reply()).isEqualTo("+PONG");
    assertThat(wire.reply()).isEqualTo("+OK");
    assertThat(wire.isClosedByServer()).isTrue();
  }

  @Test
  void longPipelineIsAnsweredInOrder() throws IOException {
    StringBuilder all = new StringBuilder();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      all.append(Wire.command("ECHO", "n" + i));
      expected.add("n" + i);
    }
    Thread writer =
        new Thread(
            () -> {
              try {
                wire.send(all.toString());
              } catch (IOException closed) {
                throw new IllegalStateException(closed);
              }
            });
    writer.start();
    List<String> replies = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      replies.add(wire.reply());
    }
    assertThat(replies).isEqualTo(expected);
  }

  @Test
  void halfACommandIsNotWaitedForForever() throws IOException {
    RespOptions impatient =
        RespOptions.on("127.0.0.1", 0).bounds(10, Duration.ofMinutes(1), Duration.ofMillis(50));
    try (RespServer strict = new RespServer(sluice, impatient);
        Wire client = new Wire(strict.port())) {
      assertThat(client.send("*2\r\n$4\r\nECHO\r\n").isClosedByServer()).isTrue();
    }
  }

  @Test
  void pipelineThatIsAlwaysCutInsideACommandGoesOn() throws IOException {
    RespOptions impatient =
        RespOptions.on("127.0.0.1", 0).bounds(10, Duration.ofMinutes(1), Duration.ofSeconds(2));
    String command = Wire.command("ECHO", "x");
    String begun = command.substring(0, 9);
    String rest = command.substring(9) + begun;
    try (RespServer strict = new RespServer(sluice, impatient);
        Wire client = new Wire(strict.port())) {
      client.send(begun);
      long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
      while (System.nanoTime() < end) {
        assertThat(client.send(rest).reply()).isEqualTo("x");
      }
    }
  }

  @Test
  void idleConnectionIsClosed() throws IOException {
    RespOptions impatient =
        RespOptions.on("127.0.0.1", 0).bounds(10, Duration.ofMillis(50), Duration.ofMinutes(1));
    try (RespServer strict = new RespServer(sluice, impatient);
        Wire client = new Wire(strict.port())) {
      assertThat(client.ask("PING")).isEqualTo("+PONG");
      assertThat(client.isClosedByServer()).isTrue();
    }
  }

  @Test
  void oneConnectionTooManyIsToldSo() throws IOException {
    RespOptions one =
        RespOptions.on("127.0.0.1", 0).bounds(1, Duration.ofMinutes(1), Duration.ofMinutes(1));
    try (RespServer small = new RespServer(sluice, one);
        Wire first = new Wire(small.port())) {
      assertThat(first.ask("PING")).isEqualTo("+PONG");
      try (Wire second = new Wire(small.port())) {
        assertThat(second.reply()).isEqualTo("-ERR max number of clients reached");
        assertThat(second.isClosedByServer()).isTrue();
      }
      assertThat(first.ask("PING")).isEqualTo("+PONG");
    }
  }

  @Test
  void commandsAlreadySentAreAnsweredWhenTheServerStops() throws IOException {
    assertThat(wire.ask("PING")).isEqualTo("+PONG");
    wire.send(Wire.command("ECHO", "last"));
    server.close();
    assertThat(wire.reply()).isEqualTo("last");
    assertThat(wire.isClosedByServer()).isTrue();
  }
}

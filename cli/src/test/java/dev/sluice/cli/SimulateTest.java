package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs as they are found, good and bad. */
class SimulateTest {
  private static final String FORMATS =
      "must be a line of an access log (host - user [time] …), a CSV header with the columns time"
          + " and key, or a JSON object with the members time and key, got ";
  private static final String TIME =
      "time must be ISO 8601 with a zone, or seconds, milliseconds, microseconds or nanoseconds"
          + " since 1970, got ";
  private static final String COST = "cost must be a whole number from 1 to 1099511627776, got ";

  @TempDir Path directory;
  private String policies;
  private Path log;

  @BeforeEach
  void write() throws IOException {
    policies = directory.resolve("p.yml").toString();
    Files.writeString(
        Path.of(policies),
        """
        policies:
          one: {limits: [{algorithm: sliding-log, permits: 1, per: 1m}]}
          two: {limits: [{algorithm: sliding-log, permits: 2, per: 1m}]}
        """);
    log = directory.resolve("log");
  }

  private Cli.Result simulate(byte[] bytes, String... more) throws IOException {
    Files.write(log, bytes);
    String[] args = new String[more.length + 4];
    args[0] = "simulate";
    args[1] = "--config";
    args[2] = policies;
    System.arraycopy(more, 0, args, 3, more.length);
    args[args.length - 1] = log.toString();
    return Cli.call(args);
  }

  private Cli.Result two(String text) throws IOException {
    return simulate(text.getBytes(StandardCharsets.UTF_8), "--policy", "two");
  }

  private static String requests(int count) {
    return "policy 'two': %d requests, %d admitted, 0 denied (0.00 %%); 0 of 1 keys limited\n"
        .formatted(count, count);
  }

  /** What is said of a line after one that is good. */
  private String reason(byte[] bad, String good) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(good.getBytes(StandardCharsets.UTF_8));
    bytes.writeBytes(bad);
    Cli.Result result = simulate(bytes.toByteArray(), "--policy", "two");
    assertThat(result.out()).isEqualTo(requests(1) + "lines skipped: 1\n");
    assertThat(result.status()).isZero();
    long line = good.lines().count() + 1;
    String start = "sluice simulate: %s:%d: skipped: ".formatted(log, line);
    assertThat(result.err()).startsWith(start).endsWith("\n");
    return result.err().substring(start.length(), result.err().length() - 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\uFEFFtime,key\n1791640536,k\n",
        "\"time\",\"key\"\n\"1791640536\",\"k\"\n",
        " Time , KEY ,Policy\n 1791640536 , k , two \n",
        "time,key\r\n1791640536,k\r\n",
        "time,key\n1791640536,k\ntime,key\n",
        "  {\"time\":1791640536,\"key\":\"k\"}\n",
        "\uFEFF{\"time\":1.791640536e9,\"key\":\"k\",\"cost\":null,\"policy\":null}",
        "\nk - u [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1\n"
      })
  void formIsForgiven(String text) throws IOException {
    assertThat(two(text)).isEqualTo(new Cli.Result(0, requests(1), ""));
  }

  /** One request each, of host k by user "u v". */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "k - u v [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1",
        "www.example.com:443 k - u v [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1 \"-\" \"[x]\"",
        "www.example.com k - u v [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1",
        "k identd u [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1",
        "k identd u [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1 \"-\" \"Mozilla [en] (Win98)\"",
        "k - u v [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1 \"-\" \"\u2028 [en]\"",
        "[2001:db8::1]:443 k - u v [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1"
      })
  void hostAndUserAreFoundInEveryAccessLog(String line) throws IOException {
    for (String key : new String[] {"host", "user"}) {
      byte[] twice = (line + "\n" + line + "\n").getBytes(StandardCharsets.UTF_8);
      String name = key.equals("host") ? "k" : line.contains(" u v ") ? "u v" : "u";
      assertThat(simulate(twice, "--policy", "one", "--key", key))
          .isEqualTo(
              new Cli.Result(
                  0,
                  """
                  policy 'one': 2 requests, 1 admitted, 1 denied (50.00 %%); 1 of 1 keys limited
                           1  %s
                  """
                      .formatted(name),
                  ""));
    }
  }

  /** Some write the port of the client behind its address. */
  @Test
  void portOfAClientMakesItNoVirtualHost() throws IOException {
    for (String client : new String[] {"192.0.2.7:5000", "2001:db8::1"}) {
      String line = client + " - - [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1\n";
      assertThat(simulate((line + line).getBytes(StandardCharsets.UTF_8), "--policy", "one").out())
          .endsWith("\n         1  " + client + "\n");
    }
  }

  /** In a time that grows with their length: with its square, one would take most of an hour. */
  @Test
  void hostileLinesAreSkipped() throws IOException {
    String good = "k - u [10/Oct/2026:13:55:36 +0000] \"GET /\" 200 1\n";
    for (String part : new String[] {"[x] ", "] [ ", " [", "a ", "a", "- "}) {
      String line = part.repeat(1_000_000 / part.length()) + "\u2028";
      assertThat(reason(line.getBytes(StandardCharsets.UTF_8), good))
          .as(part)
          .startsWith("must be a line of an access log (host - user [time] …), got '");
    }
  }

  /** The next are denied until exactly a minute later. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "2026-10-10T13:55:36Z",
        "2026-10-10T15:55:36+02:00",
        "2026-10-10T15:55:36+0200",
        "2026-10-10T15:55:36+02",
        "2026-10-10 15:55:36 +0200",
        "2026-10-10 08:25:36.000 -05:30"
      })
  void timesHaveAnyZone(String time) throws IOException {
    String csv = "time,key\n%s,k\n1791640595.999999,k\n1791640596,k\n".formatted(time);
    assertThat(simulate(csv.getBytes(StandardCharsets.UTF_8), "--policy", "one"))
        .isEqualTo(
            new Cli.Result(
                0,
                """
                policy 'one': 3 requests, 2 admitted, 1 denied (33.33 %); 1 of 1 keys limited
                         1  k
                """,
                ""));
  }

  @Test
  void packedLogIsUnpacked() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    for (String member : new String[] {"\uFEFFtime,key\n1791640536,k\n", "1791640537,k\n"}) {
      try (OutputStream gzip = new GZIPOutputStream(packed)) {
        gzip.write(member.getBytes(StandardCharsets.UTF_8));
      }
    }
    assertThat(simulate(packed.toByteArray(), "--policy", "two"))
        .isEqualTo(new Cli.Result(0, requests(2), ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"time":1791640536,"key":"k"} {"time":1}  | must be one JSON object, got more behind it
          {"time":1791640536,"key":"k"} x           | must be one JSON object, got what is not JSON: Unrecognized token 'x': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')
          [1]                                       | must be one JSON object, got something else
          {"time":1791640536,"key":{"a":1}}         | key must be text or a number, got an object
          {"time":1791640536,"key":["a"]}           | key must be text or a number, got a list
          {"time":1791640536,"key":true}            | key must be text or a number, got true
          {"time":1791640536,"key":null}            | key is missing
          {"time":1791640536,"key":""}              | key must not be empty
          {"key":"k"}                               | time is missing
          """)
  void jsonLineIsSkippedWithItsReason(String line, String reason) throws IOException {
    String good = "{\"time\":1791640536,\"key\":\"k\"}\n";
    assertThat(reason(line.getBytes(StandardCharsets.UTF_8), good)).isEqualTo(reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "12345678901234567890123456",
        "123456789012345678901",
        "1.2.3",
        ".",
        "-5",
        "2026-02-31T00:00:00Z",
        "2026-02-01T00:00:00",
        "+999999999-01-01T00:00:00Z",
        ""
      })
  void timeThatIsNoneIsNamed(String time) throws IOException {
    byte[] line = (time + ",k").getBytes(StandardCharsets.UTF_8);
    assertThat(reason(line, "time,key\n1791640536,k\n")).isEqualTo(TIME + "'" + time + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1.5", "x", "1099511627777", "99999999999999999999"})
  void costThatIsNoneIsNamed(String cost) throws IOException {
    byte[] line = ("1791640536,k," + cost).getBytes(StandardCharsets.UTF_8);
    assertThat(reason(line, "time,key,cost\n1791640536,k,\n")).isEqualTo(COST + "'" + cost + "'");
  }

  @Test
  void otherLinesAreSkippedWithTheirReason() throws IOException {
    String access = "k - - [28/Feb/2026:13:55:36 +0000] \"GET /\" 200 1\n";
    byte[] noDay = access.replace("28/Feb", "31/Feb").getBytes(StandardCharsets.UTF_8);
    assertThat(reason(noDay, access))
        .isEqualTo(
            "time must look like 10/Oct/2000:13:55:36 -0700,"
                + " got '31/Feb/2026:13:55:36 +0000'");
    assertThat(reason("hello".getBytes(StandardCharsets.UTF_8), access))
        .isEqualTo("must be a line of an access log (host - user [time] …), got 'hello'");
    String csv = "time,key\n1791640536,k\n";
    assertThat(reason("1791640536,é".getBytes(StandardCharsets.ISO_8859_1), csv))
        .isEqualTo("must be UTF-8");
    assertThat(reason("1791640536".getBytes(StandardCharsets.UTF_8), csv))
        .isEqualTo("must have 2 columns, got 1");
    assertThat(reason("1791640536,\"k".getBytes(StandardCharsets.UTF_8), csv))
        .isEqualTo("quotes must be closed in the same line");
  }

  @Test
  void logOfNoFormatSaysWhatIsExpected() throws IOException {
    assertThat(two("hello\nworld\n"))
        .isEqualTo(
            new Cli.Result(
                2,
                """
                policy 'two': 0 requests, 0 admitted, 0 denied (0.00 %); 0 of 0 keys limited
                lines skipped: 2
                """,
                "sluice simulate: %s:1: skipped, and 1 more like it: %s'hello'\n"
                    .formatted(log, FORMATS)));
  }

  @Test
  void everyKindOfSkippedLineIsToldOnceAndAtMostFive() throws IOException {
    Cli.Result result =
        two(
            """
            {"time":1,"key":"k"}
            {"time":1,"key":"k","cost":0}
            {"time":1,"key":[]}
            {"time":1,"key":"k","cost":"\\u001b[2J"}
            {"key":"k"}
            {"time":1}
            {"time":1,"key":""}
            nothing
            """);
    assertThat(result.out()).endsWith("\nlines skipped: 7\n");
    assertThat(result.err())
        .isEqualTo(
            """
            sluice simulate: %1$s:2: skipped, and 1 more like it: %2$s'0'
            sluice simulate: %1$s:3: skipped: key must be text or a number, got a list
            sluice simulate: %1$s:5: skipped: time is missing
            sluice simulate: %1$s:6: skipped: key is missing
            sluice simulate: %1$s:7: skipped: key must not be empty
            sluice simulate: lines skipped for other reasons: 1
            """
                .formatted(log, COST));
  }

  /** Else one line of nonsense from the future would put all others into one instant. */
  @Test
  void skippedLineDoesNotMoveTheClock() throws IOException {
    Cli.Result result =
        two(
            """
            {"time":"2026-10-10T00:00:00Z","key":"k"}
            {"time":"2036-10-10T00:00:00Z","key":"k","cost":0}
            {"time":"2036-10-10T00:00:00Z","key":"k","policy":"three"}
            {"time":"2026-10-10T00:02:00Z","key":"k","cost":2}
            {"time":"2026-10-10T00:04:00Z","key":"k","cost":2}
            """);
    assertThat(result.out()).isEqualTo(requests(3) + "lines skipped: 2\n");
    assertThat(result.err())
        .isEqualTo(
            """
            sluice simulate: %1$s:2: skipped: %2$s'0'
            sluice simulate: %1$s:3: skipped: policy must be one of the policies file, got 'three'
            """
                .formatted(log, COST));
  }

  @Test
  void linesThatAreMuchTooLateAreCounted() throws IOException {
    Cli.Result result =
        two(
            """
            {"time":"2026-10-10T00:10:00Z","key":"k"}
            {"time":"2026-10-10T00:09:00Z","key":"k"}
            {"time":"2026-10-10T00:08:59.999999Z","key":"k"}
            {"time":"2026-10-10T00:00:00Z","key":"k"}
            """);
    assertThat(result.out())
        .isEqualTo(
            """
            policy 'two': 4 requests, 2 admitted, 2 denied (50.00 %); 1 of 1 keys limited
                     2  k
            """);
    assertThat(result.err())
        .isEqualTo(
            "sluice simulate: lines that are more than a minute older than one before them, and so"
                + " count at its time: 2; give the logs in the order of their time\n");
  }

  @Test
  void linesOfPoliciesThatWereNotAskedForAreLeftOut() throws IOException {
    assertThat(two("time,key,policy\n1791640536,k,two\n1791640537,k,one\n"))
        .isEqualTo(new Cli.Result(0, requests(1), ""));
  }

  @Test
  void logThatIsNotThereIsToldAsAFileIs() {
    assertThat(Cli.call("simulate", "--config", policies, "nope.log"))
        .isEqualTo(new Cli.Result(2, "", "sluice simulate: nope.log: no such file\n"));
    assertThat(Cli.call("simulate", "--config", policies, directory.toString()))
        .isEqualTo(new Cli.Result(2, "", "sluice simulate: " + directory + ": is a directory\n"));
    assertThat(Cli.call("simulate", "--config", policies, "a\0b"))
        .isEqualTo(new Cli.Result(2, "", "sluice simulate: a\\u{0}b: Nul character not allowed\n"));
  }
}

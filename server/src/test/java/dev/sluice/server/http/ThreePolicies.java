package dev.sluice.server.http;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server with three policies, and a caller of it. */
abstract class ThreePolicies {
  @TempDir Path directory;
  Caller caller;

  @BeforeEach
  void start() {
    caller =
        Caller.with(
            directory,
            """
            policies:
              a: {limits: [{name: two, algorithm: sliding-log, permits: 2, per: 1h}]}
              b: {limits: [{name: three, algorithm: sliding-log, permits: 3, per: 1h}]}
              slow: {limits: [{name: queue, algorithm: leaky-bucket, permits: 1, per: 10s, queue: 5}]}
            """);
  }

  @AfterEach
  void stop() {
    caller.close();
  }

  long left(String policy, String key) {
    return Doc.number(Doc.of(caller.get("/v1/keys/" + policy + "/" + key)), "remaining");
  }
}

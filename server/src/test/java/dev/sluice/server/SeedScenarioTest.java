package dev.sluice.server;

import dev.sluice.server.http.Caller;
import dev.sluice.testkit.ApacheBench;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** 1200 requests, 40 at once, to a limit of 1000, asked of the service itself. */
class SeedScenarioTest {
  private static final String RULES =
      """
      policies: {demo: {limits: [{name: thousand, algorithm: sliding-log, permits: 1000, per: 1h}]}}
      """;

  @TempDir Path directory;

  @Test
  void ofTwelveHundredChecksExactlyAThousandPass() throws Exception {
    if (!ApacheBench.isThere()) {
      return;
    }
    try (Caller service = Caller.with(directory, RULES)) {
      ApacheBench.exactlyAThousandPass(
          service.request("/v1/check/demo/ada").build().uri(), "thousand");
    }
  }
}

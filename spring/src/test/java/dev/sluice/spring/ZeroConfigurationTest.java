package dev.sluice.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.Sluice;
import dev.sluice.memory.InMemoryStore;
import dev.sluice.spring.testkit.HelloApp;
import dev.sluice.spring.testkit.RunningApp;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class ZeroConfigurationTest {
  @Test
  void nothingConfiguredIsTheMemoryStoreAndOneLine(CapturedOutput output) {
    try (RunningApp app = RunningApp.start(WebApplicationType.SERVLET, HelloApp.class)) {
      assertThat(app.bean(Sluice.class).store()).isInstanceOf(InMemoryStore.class);
      assertThat(app.get("/").statusCode()).isEqualTo(200);
    }
    assertThat(output.getAll().lines().filter(line -> line.contains("luice ")))
        .singleElement()
        .asString()
        .contains(
            "Sluice counts in the memory of this process, policies []: other instances count on"
                + " their own (set sluice.store to share limits)");
  }

  @Test
  void sluiceCanBeTurnedOff() {
    try (RunningApp app =
        RunningApp.start(WebApplicationType.SERVLET, HelloApp.class, "sluice.enabled=false")) {
      assertThat(app.context().getBeansOfType(Sluice.class)).isEmpty();
      assertThat(app.get("/").statusCode()).isEqualTo(200);
    }
  }
}

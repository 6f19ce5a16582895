package dev.sluice.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.redis.testkit.TlsFiles;
import dev.sluice.server.ServerOptions;
import dev.sluice.server.SluiceServer;
import dev.sluice.server.StartupException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TlsTest {
  @Test
  void portSpeaksTlsWithACertificate() throws Exception {
    try (TlsFiles files = TlsFiles.create();
        SluiceServer server =
            SluiceServer.start(
                new ServerOptions()
                    .httpPort(0)
                    .tls(files.good().certificate(), files.good().key()))) {
      HttpClient client = HttpClient.newBuilder().sslContext(files.trust()).build();
      URI uri = URI.create("https://localhost:%d/healthz".formatted(server.httpPort()));
      HttpResponse<String> response =
          client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
    }
  }

  @Test
  void filesThatAreNoCertificateAreOneClearLine() {
    ServerOptions options =
        new ServerOptions().httpPort(0).tls(Path.of("absent.pem"), Path.of("absent.key"));
    assertThatThrownBy(() -> SluiceServer.start(options))
        .isInstanceOf(StartupException.class)
        .hasMessage(
            "--tls-cert 'absent.pem' and --tls-key 'absent.key': must be a certificate chain and"
                + " its key in PEM");
  }
}

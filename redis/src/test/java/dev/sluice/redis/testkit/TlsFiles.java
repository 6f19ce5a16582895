package dev.sluice.redis.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates for a TLS server, one good and three that a careful client must refuse, as PEM
 * files.
 *
 * <p>Made with the JDK's {@code keytool}; six runs of it take three to four seconds, so share one
 * instance among the tests of a class.
 */
public final class TlsFiles implements AutoCloseable {
  private static final String PASSWORD = "changeit";
  private static final String LOCALHOST = "san=dns:localhost,ip:127.0.0.1";

  private final Path directory;
  private final Path store;

  private TlsFiles(Path directory) {
    this.directory = directory;
    this.store = directory.resolve("all.p12");
  }

  /** Makes two authorities and four server certificates in a new temporary directory. */
  public static TlsFiles create() {
    TlsFiles files = new TlsFiles(Leftovers.directory("tls-"));
    files.keytool("ca", "CN=Sluice test CA", "-ext", "bc:c", "-validity", "30");
    files.keytool("other-ca", "CN=Some other CA", "-ext", "bc:c", "-validity", "30");
    files.sign("good", "ca", LOCALHOST, "-validity", "30");
    files.sign("wrong-authority", "other-ca", LOCALHOST, "-validity", "30");
    files.sign("wrong-host", "ca", "san=dns:elsewhere.example", "-validity", "30");
    files.sign("expired", "ca", LOCALHOST, "-startdate", "-10d", "-validity", "5");
    for (String name :
        List.of("ca", "other-ca", "good", "wrong-authority", "wrong-host", "expired")) {
      files.export(name);
    }
    return files;
  }

  /** The certificate of the authority that clients are meant to trust. */
  public Path authority() {
    return directory.resolve("ca.crt");
  }

  /** For localhost and 127.0.0.1, signed by {@link #authority()}, valid for a month. */
  public Identity good() {
    return identity("good");
  }

  /** For localhost and 127.0.0.1, but signed by an authority that nobody trusts. */
  public Identity wrongAuthority() {
    return identity("wrong-authority");
  }

  /** Signed by {@link #authority()}, but for elsewhere.example. */
  public Identity wrongHost() {
    return identity("wrong-host");
  }

  /** For localhost and 127.0.0.1, signed by {@link #authority()}, ran out five days ago. */
  public Identity expired() {
    return identity("expired");
  }

  /** What a client uses that trusts {@link #authority()} and nothing else. */
  public SSLContext trust() {
    return trusting(store, "ca");
  }

  /** Removes the files. */
  @Override
  public void close() {
    Leftovers.remove(directory);
  }

  /** A server's certificate and its key without a password, as Redis reads them. */
  public record Identity(Path certificate, Path key, Path authority, Path store, String alias) {
    /** Trusts exactly this certificate, its faults included: how the kit itself connects. */
    SSLContext pinned() {
      return trusting(store, alias);
    }
  }

  private Identity identity(String name) {
    return new Identity(
        directory.resolve(name + ".crt"),
        directory.resolve(name + ".key"),
        authority(),
        store,
        name);
  }

  private void sign(String name, String authority, String hosts, String... dates) {
    List<String> options = new ArrayList<>(List.of("-signer", authority, "-ext", hosts));
    options.addAll(List.of(dates));
    keytool(name, "CN=" + name, options.toArray(String[]::new));
  }

  private void keytool(String alias, String subject, String... options) {
    Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
    List<String> command = new ArrayList<>(List.of(tool.toString(), "-genkeypair"));
    command.addAll(List.of("-alias", alias, "-dname", subject));
    command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
    command.addAll(List.of("-keystore", store.toString(), "-storetype", "PKCS12"));
    command.addAll(List.of("-storepass", PASSWORD, "-J-XX:TieredStopAtLevel=1"));
    command.addAll(List.of(options));
    try {
      Process process = Leftovers.start(new ProcessBuilder(command).redirectErrorStream(true));
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException("certificate '%s': keytool: %s".formatted(alias, output));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("certificate '%s': cannot run %s".formatted(alias, tool), e);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("certificate '%s': interrupted".formatted(alias), stopped);
    }
  }

  private void export(String alias) {
    try {
      KeyStore keys = load(store);
      pem(alias + ".crt", "CERTIFICATE", keys.getCertificate(alias).getEncoded());
      pem(alias + ".key", "PRIVATE KEY", keys.getKey(alias, PASSWORD.toCharArray()).getEncoded());
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("certificate '%s': cannot be exported".formatted(alias), e);
    }
  }

  private void pem(String file, String type, byte[] der) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    Files.writeString(
        directory.resolve(file),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(type, body, type));
  }

  private static SSLContext trusting(Path store, String alias) {
    try {
      Certificate trusted = load(store).getCertificate(alias);
      KeyStore anchors = KeyStore.getInstance("PKCS12");
      anchors.load(null, null);
      anchors.setCertificateEntry(alias, trusted);
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(anchors);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException("certificate '%s': cannot be trusted".formatted(alias), e);
    }
  }

  private static KeyStore load(Path store) throws GeneralSecurityException, IOException {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD.toCharArray());
    }
    return keys;
  }
}

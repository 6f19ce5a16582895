package dev.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script at the root, with a jar that is there and a Java that only tells what it is given. */
class LauncherTest {
  @TempDir Path directory;

  private Path home() throws Exception {
    Path home = directory.toRealPath().resolve("home");
    Files.createDirectories(home.resolve("cli/target"));
    Files.createFile(home.resolve("cli/target/sluice.jar"));
    Files.copy(Path.of("..", "sluice"), home.resolve("sluice"));
    executable(home.resolve("sluice"));
    Files.createDirectories(directory.resolve("jdk/bin"));
    Path java = directory.resolve("jdk/bin/java");
    Files.writeString(java, "#!/bin/sh\necho \"$@\"\n");
    executable(java);
    return home;
  }

  private static void executable(Path file) throws Exception {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private String run(Path script) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(script.toString(), "acl").redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return out;
  }

  @Test
  void findsItsJarThroughLinks() throws Exception {
    Path home = home();
    String end = "-jar " + home.resolve("cli/target/sluice.jar") + " acl\n";
    assertThat(run(home.resolve("sluice"))).endsWith(end);
    Path bin = Files.createDirectory(directory.resolve("bin"));
    Path absolute = Files.createSymbolicLink(bin.resolve("absolute"), home.resolve("sluice"));
    assertThat(run(absolute)).endsWith(end);
    Path relative = Files.createSymbolicLink(bin.resolve("relative"), Path.of("../home/sluice"));
    assertThat(run(relative)).endsWith(end);
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("bin/relative"));
    assertThat(run(link)).endsWith(end);
  }
}

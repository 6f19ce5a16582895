package dev.sluice.redis.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisBinaryTest {
  @Test
  void bundledServersTellTheirVersions() {
    assertEquals("redis 7.0.15", RedisBinary.bundled().toString());
    assertTrue(RedisBinary.oldest().version().startsWith("6.2."), RedisBinary.oldest()::toString);
    assertEquals(
        List.of(RedisBinary.bundled(), RedisBinary.oldest()), RedisBinary.all().subList(0, 2));
  }

  @Test
  void versionsCompareByNumber() {
    assertTrue(RedisBinary.bundled().isAtLeast(7, 0));
    assertTrue(RedisBinary.bundled().isAtLeast(6, 2));
    assertFalse(RedisBinary.bundled().isAtLeast(7, 2));
    assertFalse(RedisBinary.oldest().isAtLeast(7, 0));
  }

  @Test
  void missingBundledServerIsAnErrorThatSaysWhatToAdd() {
    IllegalStateException failure =
        assertThrows(
            IllegalStateException.class,
            () -> RedisBinary.unpack("redis-server-1.0-riscv", "org.signal:embedded-redis:0.9.1"));
    assertEquals(
        "server 'redis-server-1.0-riscv': must be on the class path, got nothing;"
            + " add org.signal:embedded-redis:0.9.1 to the test dependencies",
        failure.getMessage());
  }

  @Test
  void pathIsSearchedForBothNamesAndLinksCountOnce(@TempDir Path directory) throws IOException {
    Path one = Files.createDirectory(directory.resolve("one"));
    Path two = Files.createDirectory(directory.resolve("two"));
    Path valkey = program(one, "valkey-check-rdb", "Valkey server v=8.0.1 sha=00000000:0");
    Path link = Files.createSymbolicLink(one.resolve("valkey-server"), valkey);
    Files.createSymbolicLink(two.resolve("redis-server"), valkey);
    Path old = program(one, "redis-server", "Redis server v=6.0.16 sha=00000000:0");
    String path = "/does/not/exist" + File.pathSeparator + one + File.pathSeparator + two;
    assertEquals(
        List.of(
            new RedisBinary("redis", "6.0.16", old, false),
            new RedisBinary("valkey", "8.0.1", link, false)),
        RedisBinary.onPath(path));
  }

  private static Path program(Path directory, String name, String output) throws IOException {
    Path file = Files.writeString(directory.resolve(name), "#!/bin/sh\necho '" + output + "'\n");
    assertTrue(file.toFile().setExecutable(true));
    return file;
  }
}

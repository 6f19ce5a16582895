package dev.sluice.server.config;

import dev.sluice.Policy;
import dev.sluice.Sluice;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What a policies file says: a store, where it names one, and policies.
 *
 * @param store an address as the command line takes it
 */
public record PolicyFile(Optional<String> store, List<Policy> policies) {
  /** The largest file that is read, in bytes. */
  public static final int LARGEST = 1 << 20;

  private static final Set<String> WORDS = Set.of("store", "policies");

  /**
   * Reads a file.
   *
   * @throws PolicyFileException with every problem, if there is one
   */
  public static PolicyFile read(Path file) {
    return read(file, null);
  }

  /**
   * Reads a file.
   *
   * @param deadline for the store, where a policy has none of its own
   * @throws PolicyFileException with every problem, if there is one
   */
  public static PolicyFile read(Path file, @Nullable Duration deadline) {
    return parse(file, bytes(file), deadline);
  }

  /** At most one byte more than is allowed: a file without an end must not be read to it. */
  public static byte[] bytes(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(LARGEST + 1);
    } catch (IOException failed) {
      throw PolicyFileException.unreadable(file, reason(file, failed));
    }
  }

  /** Why a file cannot be read, in the words that users know. */
  public static String reason(Path file, IOException failed) {
    if (failed instanceof NoSuchFileException) {
      return "no such file";
    }
    if (failed instanceof AccessDeniedException) {
      return "permission denied";
    }
    return Files.isDirectory(file) ? "is a directory" : String.valueOf(failed.getMessage());
  }

  static PolicyFile parse(Path file, byte[] bytes, @Nullable Duration deadline) {
    Problems problems = new Problems();
    Optional<PolicyFile> read = parse(bytes, deadline, problems);
    if (read.isEmpty() || !problems.isEmpty()) {
      throw PolicyFileException.wrong(file, problems.sorted());
    }
    return read.get();
  }

  private static Optional<PolicyFile> parse(
      byte[] bytes, @Nullable Duration deadline, Problems problems) {
    if (bytes.length > LARGEST) {
      problems.add(1, "a policies file must be at most %d bytes".formatted(LARGEST));
      return Optional.empty();
    }
    CharBuffer text = CharBuffer.allocate(bytes.length);
    ByteBuffer left = ByteBuffer.wrap(bytes);
    if (StandardCharsets.UTF_8.newDecoder().decode(left, text, true).isError()) {
      problems.add(lineAt(bytes, left.position()), "a policies file must be UTF-8");
      return Optional.empty();
    }
    ConfigNode root = YamlReader.read(text.flip().toString(), problems);
    if (!(root instanceof ConfigNode.Mapping mapping)) {
      if (problems.isEmpty()) {
        problems.add(1, "a policies file must have the key 'policies'");
      }
      return Optional.empty();
    }
    return Optional.of(read(mapping, deadline, problems));
  }

  private static int lineAt(byte[] bytes, int position) {
    int line = 1;
    for (int i = 0; i < position; i++) {
      line += bytes[i] == '\n' ? 1 : 0;
    }
    return line;
  }

  private static PolicyFile read(
      ConfigNode.Mapping root, @Nullable Duration deadline, Problems problems) {
    Members members = new Members("", root, problems);
    members.only(WORDS);
    AtomicReference<@Nullable String> store = new AtomicReference<>();
    members.text("store", address -> store.set(checked(address)));
    List<Policy> policies = List.of();
    ConfigNode.Member given = members.get("policies");
    if (given == null) {
      members.tell(root.line(), "a policies file must have the key 'policies'");
    } else {
      policies = new PolicyReader(problems, deadline).policies(given.value());
    }
    return new PolicyFile(Optional.ofNullable(store.get()), List.copyOf(policies));
  }

  private static String checked(String address) {
    if (address.isEmpty()) {
      throw new IllegalArgumentException(
          "must be memory or an address such as redis://localhost:6379, got nothing");
    }
    Sluice.checkAddress(address);
    return address;
  }
}

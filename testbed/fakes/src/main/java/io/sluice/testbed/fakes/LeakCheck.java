package io.sluice.testbed.fakes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that leaves open what it did not find open: sockets, eventfds, memfds and mappings
 * of memfds of this process. Threads of the code under test get a moment to let go of theirs. The
 * JVM's own files and heap are not counted.
 */
public final class LeakCheck implements BeforeEachCallback, AfterEachCallback {
  private static final Duration GRACE = Duration.ofSeconds(5);
  private static final long STEP_MS = 5;

  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(LeakCheck.class);

  /**
   * What this process holds.
   *
   * @param fds by number, what each descriptor is
   * @param mappedBytes by name, how many bytes of a memfd are mapped
   */
  public record Held(Map<Integer, String> fds, Map<String, Long> mappedBytes) {
    /** What the process holds now. */
    public static Held now() {
      return new Held(openFds(), mappedMemfds());
    }

    /** What is held here that was not held before. */
    public Held beyond(Held before) {
      TreeMap<Integer, String> moreFds = new TreeMap<>(fds);
      moreFds.entrySet().removeAll(before.fds.entrySet());
      TreeMap<String, Long> moreBytes = new TreeMap<>();
      mappedBytes.forEach((name, bytes) -> {
        long more = bytes - before.mappedBytes.getOrDefault(name, 0L);
        if (more > 0) {
          moreBytes.put(name, more);
        }
      });
      return new Held(moreFds, moreBytes);
    }

    /** Whether nothing is held. */
    public boolean isEmpty() {
      return fds.isEmpty() && mappedBytes.isEmpty();
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(SPACE).put("before", Held.now());
  }

  @Override
  public void afterEach(ExtensionContext context) throws InterruptedException {
    Held before = context.getStore(SPACE).get("before", Held.class);
    Held leaked = Held.now().beyond(before);
    for (long waitedMs = 0; !leaked.isEmpty() && waitedMs < GRACE.toMillis(); waitedMs += STEP_MS) {
      Thread.sleep(STEP_MS);
      leaked = Held.now().beyond(before);
    }
    if (!leaked.isEmpty()) {
      throw new AssertionError("the test leaks: " + leaked);
    }
  }

  private static TreeMap<Integer, String> openFds() {
    TreeMap<Integer, String> open = new TreeMap<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        String target = targetOf(entry);
        if (target.startsWith("socket:")
            || target.startsWith("/memfd:")
            || target.equals("anon_inode:[eventfd]")) {
          open.put(Integer.parseInt(entry.getFileName().toString()), target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return open;
  }

  /** Empty for a descriptor that was closed since it was listed. */
  private static String targetOf(Path entry) {
    try {
      return Files.readSymbolicLink(entry).toString();
    } catch (IOException gone) {
      return "";
    }
  }

  private static TreeMap<String, Long> mappedMemfds() {
    TreeMap<String, Long> mapped = new TreeMap<>();
    try {
      for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
        int name = line.indexOf("/memfd:");
        if (name >= 0 && !line.startsWith("/memfd:java_heap", name)) {
          String[] range = line.substring(0, line.indexOf(' ')).split("-", 2);
          long bytes = Long.parseUnsignedLong(range[1], 16) - Long.parseUnsignedLong(range[0], 16);
          mapped.merge(line.substring(name), bytes, Long::sum);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return mapped;
  }
}

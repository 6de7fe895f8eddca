package io.sluice.abi.sys;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test that leaves more or fewer descriptors open than it found. */
final class OpenFds implements BeforeEachCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(OpenFds.class);

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    context.getStore(SPACE).put("fds", sluiceFds());
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    assertThat(sluiceFds()).isEqualTo(context.getStore(SPACE).get("fds"));
  }

  /** Sockets, memfds, eventfds and the null device; the JVM opens and closes files as it likes. */
  static TreeMap<Integer, String> sluiceFds() throws IOException {
    TreeMap<Integer, String> open = new TreeMap<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        String target = targetOf(entry);
        if (target.startsWith("socket:")
            || target.startsWith("/memfd:")
            || target.contains("[eventfd")
            || target.equals("/dev/null")) {
          open.put(Integer.parseInt(entry.getFileName().toString()), target);
        }
      }
    }
    return open;
  }

  private static String targetOf(Path entry) {
    try {
      return Files.readSymbolicLink(entry).toString();
    } catch (IOException gone) {
      return "";
    }
  }
}

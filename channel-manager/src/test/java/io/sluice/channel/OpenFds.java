package io.sluice.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/** Fails a test that leaves memory files, eventfds or mappings of files open. */
public final class OpenFds implements TestInstancePreConstructCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(OpenFds.class);

  @Override
  public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context)
      throws IOException {
    context.getStore(SPACE).put("held", held());
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    assertThat(held()).isEqualTo(context.getStore(SPACE).get("held"));
  }

  private static List<String> held() throws IOException {
    List<String> held = new ArrayList<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        String target = target(entry);
        if (target.startsWith("/memfd:") || target.contains("[eventfd")) {
          held.add(entry.getFileName() + " " + target);
        }
      }
    }
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      if (line.contains("/memfd:")) {
        held.add(line.substring(line.indexOf("/memfd:")));
      }
    }
    held.sort(null);
    return held;
  }

  private static String target(Path entry) {
    try {
      return Files.readSymbolicLink(entry).toString();
    } catch (IOException gone) {
      return "";
    }
  }
}

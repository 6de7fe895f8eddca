package io.sluice.daemon;

import io.sluice.daemon.config.ConfigLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Daemons with embedded GPUs in this process, each with directories of its own in a test's. */
final class TestDaemons {
  private TestDaemons() {}

  /**
   * Starts one.
   *
   * @param vram video memory of its GPU
   */
  static SluicedInstance start(Path dir, String name, String vram, String... guests)
      throws Exception {
    StringBuilder text = new StringBuilder("[daemon]\n");
    text.append("run-dir = \"").append(dir.resolve(name)).append("\"\n");
    text.append("state-dir = \"").append(dir.resolve(name + "-state")).append("\"\n");
    text.append("[gpu.embedded]\nvram = \"").append(vram).append("\"\n");
    for (String guest : guests) {
      text.append("[[guest]]\nname = \"").append(guest).append("\"\n");
    }
    Path file = Files.writeString(dir.resolve(name + ".toml"), text);
    return SluicedInstance.start(new ConfigLoader(Map.of(), Map.of()).load(file));
  }
}

package io.sluice.testbed.workloads.cubin;

import io.sluice.testbed.workloads.Kernels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the kernels of this module as cubins, one for each file: {@code CubinTool DIRECTORY}. */
public final class CubinTool {
  private CubinTool() {}

  /** Writes a file for each of {@link Kernels#FILES}. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 1) {
      throw new IllegalArgumentException("usage: CubinTool DIRECTORY");
    }
    Path directory = Files.createDirectories(Path.of(arguments[0]));
    for (String name : Kernels.FILES) {
      Files.write(directory.resolve(name + ".cubin"), Cubin.write(Kernels.file(name)));
    }
  }
}

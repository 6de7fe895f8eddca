package io.sluice.testbed.conformance.rig;

import io.sluice.channel.nvidia.submit.HopperKernel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Kernels of sources of this package, compiled where they are wanted. */
public final class Cubin {
  private Cubin() {}

  /** The only kernel of a source of this package. */
  public static Optional<HopperKernel> compile(String source)
      throws IOException, InterruptedException {
    return compileAll(source).map(all -> all.values().iterator().next());
  }

  /**
   * Compiles a source of this package for sm_90, without contraction to fused multiply-add; its
   * kernels by name, or empty where nvcc is not on the PATH.
   */
  public static Optional<Map<String, HopperKernel>> compileAll(String source)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("cubin");
    Path cu = directory.resolve(source);
    Path cubin = directory.resolve("kernel.cubin");
    try (InputStream in = Cubin.class.getResourceAsStream(source)) {
      if (in == null) {
        throw new IOException("no such resource, name=" + source);
      }
      Files.write(cu, in.readAllBytes());
      Process nvcc;
      try {
        nvcc =
            new ProcessBuilder(
                    "nvcc",
                    "-arch=sm_90",
                    "-fmad=false",
                    "-cubin",
                    "-o",
                    cubin.toString(),
                    cu.toString())
                .inheritIO()
                .start();
      } catch (IOException e) {
        return Optional.empty();
      }
      if (nvcc.waitFor() != 0) {
        throw new IOException("nvcc failed, source=" + source);
      }
      return Optional.of(HopperKernel.parse(Files.readAllBytes(cubin)));
    } finally {
      Files.deleteIfExists(cu);
      Files.deleteIfExists(cubin);
      Files.deleteIfExists(directory);
    }
  }
}

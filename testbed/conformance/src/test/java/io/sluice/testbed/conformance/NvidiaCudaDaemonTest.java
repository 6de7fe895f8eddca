package io.sluice.testbed.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** CUDA programs of a real sluiced's guests, started by {@code sluicectl guest run}. */
final class NvidiaCudaDaemonTest {
  @TempDir private Path directory;

  @RegisterExtension
  final NvidiaDaemon daemon =
      new NvidiaDaemon(
          () -> directory.resolve("daemon"),
          "",
          """
          [[guest]]
          name = "a"
          vram-limit = "2GiB"
          cuda = true

          [[guest]]
          name = "b"
          """);

  private String run(Path parts, String... command) throws Exception {
    String[] all = new String[8 + command.length];
    String[] first = {
      "guest",
      "run",
      "a",
      "--launcher",
      parts.resolve("sluice-cuda-run").toString(),
      "--library",
      parts.resolve("libsluice-cuda.so").toString(),
      "--"
    };
    System.arraycopy(first, 0, all, 0, first.length);
    System.arraycopy(command, 0, all, first.length, command.length);
    return daemon.ctl(all);
  }

  @Test
  void program_ofAGuest_runsWithinItsQuotaAndIsListed() throws Exception {
    try (CudaRig rig = CudaRig.open(Files.createDirectories(directory.resolve("rig")))) {
      String programs = rig.compile("cuda_programs.cu").toString();
      Path parts = rig.parts();

      assertThat(run(parts, programs, "vec", "graph"))
          .isEqualTo(rig.natively(programs, "vec", "graph").output());
      assertThat(run(parts, programs, "hold", "3072", "hold", "256"))
          .contains("hold 3072 MiB: out of memory", "hold 256 MiB: no error");
      daemon.ctl("quota", "set", "a", "--vram-limit", "128MiB");
      assertThat(run(parts, programs, "hold", "256")).contains("out of memory");
    }
    assertThat(daemon.ctl("program", "list", "a", "--format", "json")).doesNotContain("pid");
  }
}

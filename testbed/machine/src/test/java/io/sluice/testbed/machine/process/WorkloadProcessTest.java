package io.sluice.testbed.machine.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.machine.DaemonProcess;
import io.sluice.testbed.machine.support.CPrograms;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.workloads.Kernels;
import io.sluice.testbed.workloads.cubin.Cubin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The workload programs as process guests of a real daemon process: each loads its kernels from a
 * cubin, finds textures by name, waits for the GPU by interrupt or by polling, and compares the
 * results with what the processor computes.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class WorkloadProcessTest {
  private static final String GUEST = "guest";

  private CPrograms programs;
  private DaemonProcess daemon;
  private Path cubins;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    programs = CPrograms.build(directory, Kernels.FILES.toArray(String[]::new));
    cubins = Files.createDirectory(directory.resolve("cubins"));
    for (String name : Kernels.FILES) {
      Files.write(cubins.resolve(name + ".cubin"), Cubin.write(Kernels.file(name)));
    }
    daemon = DaemonProcess.start(Files.createDirectory(directory.resolve("run")), List.of(GUEST));
  }

  @AfterAll
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "mmul, 64, interrupt",
    "lud, 64, poll",
    "nn, 1024, interrupt",
    "backprop, 1024, poll",
    "blur, 72, interrupt",
    "blur, 72, poll"
  })
  void workload_asAProcess_computesWhatTheProcessorDoes(String name, String size, String wait)
      throws Exception {
    Daemons.awaitGone(daemon, GUEST);
    String cubin = cubins.resolve(name + ".cubin").toString();
    try (CPrograms.Running running =
        programs.start(
            daemon.socket(GUEST), name, "--size", size, "--cubin", cubin, "--wait", wait)) {
      assertThat(running.end()).as(running.said()).isZero();
      assertThat(running.said()).contains(name + ": ok");
    }
  }
}

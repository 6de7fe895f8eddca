package io.sluice.testbed.conformance.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.machine.BoundedWait;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The set-up of tests that share a rig and the compiled programs; each leaves nothing of them. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RelayedPrograms {
  static final BoundedWait SOON = new BoundedWait(Duration.ofSeconds(60), Duration.ofMillis(10));

  CudaRig rig;
  Path programs;
  Path directory;

  @BeforeAll
  final void start(@TempDir Path of) throws Exception {
    directory = of;
    rig = CudaRig.open(Files.createDirectory(of.resolve("rig")));
    programs = rig.compile("cuda_programs.cu");
  }

  @AfterAll
  final void stop() {
    if (rig != null) {
      rig.close();
    }
  }

  /** A program's end is heard after it has ended. */
  @AfterEach
  final void nothingIsLeft() throws Exception {
    SOON.until("no programs", () -> rig.relay.programs().isEmpty());
    assertThat(rig.relay.evictedBytes()).isZero();
  }

  /** A program that trains a network; skips the test where there is no PyTorch. */
  final String train() throws Exception {
    CudaRig.Ended there = rig.natively("python3", "-c", "import torch");
    Assumptions.assumeTrue(there.status() == 0, "no PyTorch");
    return rig.file("train.py").toString();
  }
}

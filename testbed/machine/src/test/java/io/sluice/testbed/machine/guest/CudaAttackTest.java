package io.sluice.testbed.machine.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.machine.MachineEnvironment;
import io.sluice.testbed.machine.support.Daemons.Holdings;
import io.sluice.testbed.machine.support.MachineShell;
import io.sluice.testbed.machine.support.Machines;
import java.nio.file.Path;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A hostile user of a machine with CUDA programs, and what is left of him. His cases, and another
 * user's programs beside him, are in the program, which says what failed.
 */
@ExtendWith(Seeds.class)
final class CudaAttackTest {
  private static final int NOISE_SECONDS = 5;

  /** A program on channels and one by the library: what the host makes once, it has then. */
  private static final String BEFORE =
      "smoke && SLUICE_CUDA_SOCKET=/dev/sluice-api0 LD_PRELOAD=/usr/lib/sluice/libsluice-cuda.so"
          + " /usr/lib/sluice/calls work";

  @Test
  void pretender_unprivileged_harmsItselfAlone(@TempDir Path directory, RandomGenerator random)
      throws Exception {
    Optional<MachineEnvironment> found = MachineEnvironment.find();
    assumeTrue(found.isPresent(), MachineEnvironment.absence());
    Path image = found.get().image();
    long own = ProcessHandle.current().pid();
    try (CudaHost host = new CudaHost(directory)) {
      Holdings before = Holdings.of(own);
      try (MachineShell machine =
          MachineShell.boot(found.get(), image, host.socket(), "--cpus", "2", "--memory", "1G")) {
        assertThat(machine.run(BEFORE)).as(machine.console()).isZero();
        await().atMost(Machines.PATIENCE).until(host::isEmpty);
        Holdings attached = Holdings.of(own);
        String pretender = "pretender " + NOISE_SECONDS + " " + random.nextInt(1 << 30);
        assertThat(machine.run(pretender)).as(machine.console()).isZero();
        await().atMost(Machines.PATIENCE).until(host::isEmpty);
        await()
            .atMost(Machines.PATIENCE)
            .until(() -> Holdings.of(own).mappings() <= attached.mappings());
      }
      await().atMost(Machines.PATIENCE).until(() -> !host.hasMachine());
      await().atMost(Machines.PATIENCE).until(() -> Holdings.of(own).isNoMoreThan(before));
      await().atMost(Machines.PATIENCE).until(CudaAttackTest::servesNobody);
    }
  }

  /** Whether no thread serves a program any more. */
  private static boolean servesNobody() {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().startsWith("cuda-"));
  }
}

package io.sluice.testbed.conformance.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.CudaProgramStatus;
import io.sluice.management.local.LocalConnection;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.conformance.daemon.NvidiaDaemon;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** CUDA programs of a real sluiced that has two cards: they change from one to the other. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class NvidiaCudaCardsTest {
  private static final int CHANGES = 4;

  /** How long a program may take whose kernels take 20 s. */
  private static final int END_S = 90;

  @TempDir private Path directory;

  @RegisterExtension
  final NvidiaDaemon daemon =
      new NvidiaDaemon(
          () -> directory.resolve("daemon"),
          """
          [gpu.other]
          device = "/dev/nvidia1"
          """,
          """
          [[guest]]
          name = "a"
          gpu = "other"
          cuda = true

          [[guest]]
          name = "b"
          gpu = "nvidia"
          vram-limit = "4GiB"
          cuda = true
          """,
          2);

  private String run(Path parts, String... command) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "guest",
                "run",
                "b",
                "--launcher",
                parts.resolve("sluice-cuda-run").toString(),
                "--library",
                parts.resolve("libsluice-cuda.so").toString(),
                "--"));
    all.addAll(List.of(command));
    return daemon.ctl(all.toArray(new String[0]));
  }

  private CudaProgramStatus program() throws Exception {
    try (LocalConnection connection = daemon.connect()) {
      return connection.programs().list("b").getFirst();
    }
  }

  /** What it has printed; one that does not come to its end is ended, and says where it was. */
  private String end(Future<String> running) throws Exception {
    try {
      return running.get(END_S, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      ProcessHandle.of(program().pid()).ifPresent(ProcessHandle::destroyForcibly);
      throw e;
    }
  }

  /** To and fro, and what is held where. */
  private void changeCards() throws Exception {
    String number = Long.toString(program().number());
    for (int i = 0; i < CHANGES; i++) {
      String to = i % 2 == 0 ? "other" : "nvidia";
      daemon.ctl("program", "suspend", "b", number);
      assertThat(daemon.ctl("program", "list", "b")).contains("suspended");
      daemon.ctl("program", "resume", "b", number, "--gpu", to);
      assertThat(program().gpu()).isEqualTo(to);
      long here = daemon.quota("b").heldBytes(); // on the guest's own
      System.out.printf("on %s the guest's own card has %d bytes of it%n", to, here);
      if (to.equals("nvidia")) {
        assertThat(here).isGreaterThan(512 << 20);
      } else {
        assertThat(here).isZero();
      }
    }
  }

  @Test
  void program_resumedOnAnotherCard_goesOnAndIsCountedThere() throws Exception {
    try (CudaRig rig = CudaRig.open(Files.createDirectories(directory.resolve("rig")))) {
      String programs = rig.compile("cuda_programs.cu").toString();
      String natively = rig.natively(programs, "lasting", "lasting").output();
      try (ExecutorService other = Executors.newSingleThreadExecutor()) {
        Future<String> running =
            other.submit(() -> run(rig.parts(), programs, "keep", "512", "lasting", "lasting"));
        var _ = daemon.awaitQuota("b", now -> now.heldBytes() > 512 << 20);
        try {
          changeCards();
        } catch (AssertionError e) {
          e.addSuppressed(new AssertionError("it printed: " + end(running)));
          throw e;
        }
        assertThat(end(running)).isEqualTo(natively);
      }
      assertThat(daemon.ctl("program", "list", "b")).doesNotContain("running");
      assertThat(run(rig.parts(), programs, "vec"))
          .isEqualTo(rig.natively(programs, "vec").output());
    }
  }
}

package io.sluice.testbed.conformance.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.conformance.daemon.NvidiaDaemon;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** CUDA programs of a real sluiced's guests, started by {@code sluicectl guest run}. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class NvidiaCudaDaemonTest {
  /** In which programs start, and reach the driver. */
  private static final int BEFORE_S = 6;

  private static final int SHARED_S = 3;
  private static final long SECOND_NS = 1_000_000_000;

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
          weight = "3"
          cuda = true
          """);

  private String run(Path parts, String... command) throws Exception {
    return runOf("a", parts, command);
  }

  private String runOf(String guest, Path parts, String... command) throws Exception {
    String[] all = new String[8 + command.length];
    String[] first = {
      "guest",
      "run",
      guest,
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

  /** What is beyond a limit that falls moves to system memory under the program, and returns. */
  @Test
  void limit_thatFallsUnderAProgram_hasItsMemoryMove() throws Exception {
    try (CudaRig rig = CudaRig.open(Files.createDirectories(directory.resolve("rig")))) {
      String programs = rig.compile("cuda_programs.cu").toString();
      String natively = rig.natively(programs, "lasting").output();
      try (ExecutorService other = Executors.newSingleThreadExecutor()) {
        Future<String> program =
            other.submit(() -> runOf("b", rig.parts(), programs, "keep", "512", "lasting"));
        daemon.awaitQuota("b", now -> now.heldBytes() > 512 << 20);
        daemon.ctl("quota", "set", "b", "--vram-limit", "128MiB");
        long evicted = daemon.awaitQuota("b", now -> now.evictedBytes() > 0).evictedBytes();
        assertThat(evicted).isGreaterThanOrEqualTo(512 << 20);
        assertThat(daemon.ctl("program", "list", "b")).contains("514.0 MiB");
        daemon.ctl("quota", "set", "b", "--vram-limit", "4GiB");
        var _ = daemon.awaitQuota("b", now -> now.evictedBytes() == 0);
        assertThat(program.get()).isEqualTo(natively);
      }
    }
  }

  @Test
  void program_beyondItsShareWithThePolicy_runs() throws Exception {
    try (CudaRig rig = CudaRig.open(Files.createDirectories(directory.resolve("rig")))) {
      String programs = rig.compile("cuda_programs.cu").toString();
      daemon.ctl("quota", "set", "a", "--beyond-share", "system-memory");
      assertThat(run(rig.parts(), programs, "hold", "3072", "vec", "graph"))
          .contains("hold 3072 MiB: no error")
          .endsWith(rig.natively(programs, "vec", "graph").output());
    }
  }

  /** Kernels of a and b that have ended in the same seconds, while both never ran out of work. */
  private long[] compete(Path parts, String programs) throws Exception {
    String from = Long.toString(Instant.now().getEpochSecond() + BEFORE_S);
    String[] work = {programs, "share", from, Integer.toString(SHARED_S)};
    try (ExecutorService both = Executors.newFixedThreadPool(2)) {
      Future<String> a = both.submit(() -> runOf("a", parts, work));
      Future<String> b = both.submit(() -> runOf("b", parts, work));
      return new long[] {kernels(a.get()), kernels(b.get())};
    }
  }

  private static long kernels(String output) {
    Matcher found = Pattern.compile("share: (\\d+) kernels").matcher(output);
    assertThat(found.find()).as(output).isTrue();
    return Long.parseLong(found.group(1));
  }

  @Test
  void programs_ofTwoGuests_shareTheCardByWeight() throws Exception {
    try (CudaRig rig = CudaRig.open(Files.createDirectories(directory.resolve("rig")))) {
      String programs = rig.compile("cuda_programs.cu").toString();
      long[] unequal = compete(rig.parts(), programs);
      System.out.printf("kernels of weights 1 and 3: %d and %d%n", unequal[0], unequal[1]);
      assertThat((double) unequal[1] / unequal[0]).isBetween(2.4, 3.6);
      long b = daemon.awaitQuota("b", now -> now.gpuNs() > SECOND_NS).gpuNs();
      long a = daemon.quota("a").gpuNs();
      System.out.printf("GPU time of them: %d and %d ms%n", a / 1_000_000, b / 1_000_000);
      assertThat(a).isPositive();
      assertThat((double) b / a).isBetween(1.5, 4.5);

      daemon.ctl("quota", "set", "b", "--weight", "1");
      long[] equal = compete(rig.parts(), programs);
      System.out.printf("kernels of weights 1 and 1: %d and %d%n", equal[0], equal[1]);
      assertThat((double) equal[1] / equal[0]).isBetween(0.8, 1.25);
    }
  }

  @Test
  void kernel_withoutEnd_leavesTheOthersTheirTurns() throws Exception {
    try (CudaRig rig = CudaRig.open(Files.createDirectories(directory.resolve("rig")))) {
      String programs = rig.compile("cuda_programs.cu").toString();
      Path output = directory.resolve("endless");
      Process endless = rig.start(output, programs, "endless");
      try {
        NvidiaDaemon.SOON.until(
            "a kernel without end", () -> Files.readString(output).contains("endless"));
        String from = Long.toString(Instant.now().getEpochSecond() + BEFORE_S);
        long beside =
            kernels(runOf("b", rig.parts(), programs, "share", from, Integer.toString(SHARED_S)));
        System.out.printf("kernels beside one without end: %d%n", beside);
        assertThat(endless.isAlive()).isTrue();
        assertThat(beside).isGreaterThan(100);
      } finally {
        endless.destroyForcibly().waitFor();
      }
      assertThat(runOf("b", rig.parts(), programs, "vec"))
          .isEqualTo(rig.natively(programs, "vec").output());
    }
  }
}

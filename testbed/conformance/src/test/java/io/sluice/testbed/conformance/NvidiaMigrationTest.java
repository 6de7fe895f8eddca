package io.sluice.testbed.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.HopperKernel;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes that never stop submitting, while sluicectl moves them from one daemon to another. */
final class NvidiaMigrationTest {
  private static final String GUEST = "moved";
  private static final String GUESTS =
      """
      [[guest]]
      name = "other"
      vram-limit = "1GiB"

      [[guest]]
      name = "moved"
      vram-limit = "1GiB"
      """;

  @TempDir private Path directory;

  private Daemon daemon(String name, int card) throws Exception {
    NvidiaRig.open(card).close();
    String gpu = "[gpu.nvidia]\ndevice = \"/dev/nvidia" + card + "\"\n";
    return Daemon.start(directory.resolve(name), gpu, GUESTS, GUEST);
  }

  private static @Nullable HopperKernel kernel(int microseconds) throws Exception {
    if (microseconds == 0) {
      return null;
    }
    Optional<HopperKernel> compiled = Cubin.compile("busy.cu");
    Assumptions.assumeTrue(compiled.isPresent(), "nvcc is not on the PATH");
    return compiled.orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({"0, 64, 0", "1000, 8, 0", "0, 64, 1", "1000, 8, 1"})
  void start_processThatSubmits_goesToAndFroAndNothingIsLostOrRunTwice(
      int microseconds, int window, int card) throws Exception {
    HopperKernel kernel = kernel(microseconds);
    Kernel system = NvidiaRig.kernel();
    try (Daemon first = daemon("a", 0);
        Daemon second = daemon("b", card);
        DaemonGuest guest =
            DaemonGuest.attach(system, first.socket(GUEST), window, kernel, microseconds)) {
      guest.start();
      for (int round = 0; round < 4; round++) {
        Daemon from = round % 2 == 0 ? first : second;
        Daemon to = round % 2 == 0 ? second : first;
        guest.busy.awaitProgress(300);
        guest.busy.takeLongestGapNs();
        String said = from.ctl("migration", "start", GUEST, "--to", to.migrationSocket());
        guest.busy.awaitProgress(300);
        System.out.printf(
            Locale.ROOT,
            "%smigration by daemons: kernel %d us, card %d, blackout %.2f ms%n%s",
            said,
            microseconds,
            card,
            guest.busy.takeLongestGapNs() / 1e6,
            from.ctl("migration", "report", GUEST));
        assertThat(to.ctl("guest", "list")).contains("running");
        assertThat(guest.device.ping(round)).isEqualTo(round);
      }
      guest.busy.stop();
      guest.verify();
      System.out.println("submissions " + guest.busy.submitted());
    }
  }

  @Test
  void start_destinationThatIsTaken_isRefusedAndTheProcessGoesOn() throws Exception {
    Kernel system = NvidiaRig.kernel();
    try (Daemon first = daemon("a", 0);
        Daemon second = daemon("b", 0);
        DaemonGuest guest = DaemonGuest.attach(system, first.socket(GUEST), 64, null, 0);
        DaemonGuest _ = DaemonGuest.attach(system, second.socket(GUEST), 64, null, 0)) {
      guest.start();
      guest.busy.awaitProgress(300);
      Daemon.Result refused =
          first.tryCtl("migration", "start", GUEST, "--to", second.migrationSocket());
      assertThat(refused.code()).isNotZero();
      assertThat(refused.output()).contains("somebody is attached");
      guest.busy.awaitProgress(300);
      guest.busy.stop();
      guest.verify();
    }
  }

  @Test
  void checkpoint_restoredInAnotherDaemon_goesOnWhereItWas() throws Exception {
    Kernel system = NvidiaRig.kernel();
    Path file = directory.resolve("guest.checkpoint");
    try (Daemon first = daemon("a", 0);
        Daemon second = daemon("b", 0);
        DaemonGuest guest = DaemonGuest.attach(system, first.socket(GUEST), 64, null, 0)) {
      guest.start();
      guest.busy.awaitProgress(2000);
      long start = System.nanoTime();
      System.out.print(first.ctl("guest", "checkpoint", GUEST, directory + "/live", "--live"));
      guest.busy.awaitProgress(2000);
      guest.busy.stop();
      BusyGuest.RingState ring = guest.busy.ringState();
      long stopped = System.nanoTime();
      System.out.print(first.ctl("guest", "checkpoint", GUEST, file.toString()));
      System.out.printf(
          Locale.ROOT,
          "checkpoints of 128 MiB: live %.0f ms, of one that stands still %.0f ms, sluicectl's"
              + " start included%n",
          (stopped - start) / 1e6,
          (System.nanoTime() - stopped) / 1e6);
      guest.verify();
      try (DaemonGuest again = DaemonGuest.empty(system, second.socket("other"), 1, guest)) {
        System.out.print(second.ctl("guest", "restore", "other", file.toString()));
        again.busy.goOn(guest.busy, ring);
        again.busy.start();
        again.busy.awaitProgress(2000);
        again.busy.stop();
        again.verify();
        assertThat(again.busy.submitted()).isGreaterThan(guest.busy.submitted() + 1999);
      }
    }
  }
}

package io.sluice.testbed.conformance.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.conformance.rig.BusyGuest;
import io.sluice.testbed.conformance.rig.Cubin;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A channel is taken from a guest that goes on submitting, and given back, or to another open. */
final class NvidiaDetachTest {
  /** A kernel of so many microseconds, or copies alone for 0. */
  private static @Nullable HopperKernel kernel(int microseconds) throws Exception {
    if (microseconds == 0) {
      return null;
    }
    Optional<HopperKernel> compiled = Cubin.compile("busy.cu");
    Assumptions.assumeTrue(compiled.isPresent(), "nvcc is not on the PATH");
    return compiled.orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({"0, 64", "0, 200", "1000, 8"})
  void detachAndAttach_whileTheGuestSubmits_losesAndRepeatsNothing(int microseconds, int window)
      throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open()) {
      HopperKernel kernel = kernel(microseconds);
      Kernel system = NvidiaRig.kernel();
      try (Views views = new Views();
          Fd ram = system.memfdCreate("ram", BusyGuest.RAM_BYTES);
          Fd file = system.memfdCreate("staging", BusyGuest.VIDEO_BYTES);
          Mapping memory = map(system, ram, BusyGuest.RAM_BYTES);
          Mapping staging = map(system, file, BusyGuest.VIDEO_BYTES);
          Seat seat = new Seat(gpu, ram, file, kernel != null)) {
        BusyGuest.fillStill(staging.segment());
        seat.copyIn();
        seat.start();
        var guest =
            new BusyGuest(
                memory.segment(), views.pages(seat.areas()), window, kernel, microseconds);
        guest.start();
        guest.awaitProgress(100);
        for (int round = 0; round < 20; round++) {
          long start = System.nanoTime();
          if (round % 2 == 0) {
            seat.detachAndDrain();
            assertThat(seat.channel.status().state()).isEqualTo(ChannelState.DETACHED);
          } else {
            seat.channel.detach(); // given back before it has drained
          }
          seat.channel.attach();
          long until = System.nanoTime() + 5 * NvidiaRig.TIMEOUT_NS;
          while (seat.polled().state() != ChannelState.RUNNING && System.nanoTime() < until) {
            Thread.onSpinWait();
          }
          long attached = System.nanoTime();
          guest.awaitProgress(round % 3 == 0 ? 400 : 20);
          print("detach and attach", attached - start, guest.takeLongestGapNs());
        }
        guest.stop();
        seat.copyOut();
        guest.verify(staging.segment());
        System.out.println("submissions " + guest.submitted());
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 64", "1000, 8"})
  void migration_betweenTwoOpens_losesAndRepeatsNothing(int microseconds, int window)
      throws Exception {
    try (NvidiaGpu here = NvidiaRig.open();
        NvidiaGpu there = NvidiaRig.open()) {
      HopperKernel kernel = kernel(microseconds);
      Kernel system = NvidiaRig.kernel();
      try (Views views = new Views();
          Fd ram = system.memfdCreate("ram", BusyGuest.RAM_BYTES);
          Fd file = system.memfdCreate("staging", BusyGuest.VIDEO_BYTES);
          Mapping memory = map(system, ram, BusyGuest.RAM_BYTES);
          Mapping staging = map(system, file, BusyGuest.VIDEO_BYTES)) {
        Seat seat = new Seat(here, ram, file, kernel != null);
        BusyGuest.fillStill(staging.segment());
        seat.copyIn();
        seat.start();
        var guest =
            new BusyGuest(
                memory.segment(), views.pages(seat.areas()), window, kernel, microseconds);
        guest.start();
        guest.awaitProgress(100);
        for (int round = 0; round < 6; round++) {
          Seat next = new Seat(round % 2 == 0 ? there : here, ram, file, kernel != null);
          if (round > 1) {
            next.prepare();
          }
          BusyGuest.Pages pages = views.pages(next.areas());
          guest.awaitProgress(50);
          guest.takeLongestGapNs();
          long start = System.nanoTime();
          seat.detachAndDrain();
          long drained = System.nanoTime();
          byte[] state = seat.channel.saveState();
          seat.copyOut();
          long out = System.nanoTime();
          next.copyIn();
          long in = System.nanoTime();
          next.channel.restoreState(state);
          next.channel.resume();
          guest.moveTo(pages);
          long done = System.nanoTime();
          guest.awaitProgress(300);
          System.out.printf(
              Locale.ROOT,
              "migration: drain %d out %d in %d restore %d us, blackout %.2f ms%n",
              (drained - start) / 1000,
              (out - drained) / 1000,
              (in - out) / 1000,
              (done - in) / 1000,
              guest.takeLongestGapNs() / 1e6);
          seat.close();
          seat = next;
        }
        guest.stop();
        seat.copyOut();
        guest.verify(staging.segment());
        System.out.println("submissions " + guest.submitted());
        seat.close();
      }
    }
  }

  /** The other process is warm, and has its channel or not; the same GPU, or the next one. */
  @ParameterizedTest
  @CsvSource({
    "0, 64, 128, false, 0",
    "0, 64, 128, true, 0",
    "1000, 8, 128, false, 0",
    "1000, 8, 128, true, 0",
    "0, 64, 1024, true, 0",
    "0, 64, 128, true, 1",
    "1000, 8, 128, true, 1"
  })
  void migration_toAnotherProcess_losesAndRepeatsNothing(
      int microseconds, int window, int mib, boolean prepared, int card) throws Exception {
    NvidiaRig.open(card).close();
    try (NvidiaGpu gpu = NvidiaRig.open()) {
      HopperKernel kernel = kernel(microseconds);
      Kernel system = NvidiaRig.kernel();
      long bytes = (long) mib << 20;
      for (int round = 0; round < 3; round++) {
        try (Views views = new Views();
            Fd ram = system.memfdCreate("ram", BusyGuest.RAM_BYTES);
            Fd file = system.memfdCreate("staging", bytes);
            Mapping memory = map(system, ram, BusyGuest.RAM_BYTES);
            Mapping staging = map(system, file, bytes);
            MigrationTarget target =
                new MigrationTarget(views, ram, file, kernel != null, prepared, card)) {
          Seat seat = new Seat(gpu, ram, file, kernel != null);
          BusyGuest.fillStill(staging.segment());
          seat.copyIn();
          seat.start();
          var guest =
              new BusyGuest(
                  memory.segment(), views.pages(seat.areas()), window, kernel, microseconds);
          guest.start();
          guest.awaitProgress(200);
          guest.takeLongestGapNs();
          long start = System.nanoTime();
          seat.detachAndDrain();
          long drained = System.nanoTime();
          byte[] state = seat.channel.saveState();
          long[] there = target.restore(state, seat);
          guest.moveTo(target.pages());
          long done = System.nanoTime();
          guest.awaitProgress(500);
          long gap = guest.takeLongestGapNs();
          seat.close();
          guest.awaitProgress(500);
          guest.stop();
          target.copyOut();
          guest.verify(staging.segment());
          System.out.printf(
              Locale.ROOT,
              "migration to a process: kernel %d us, %d MiB, prepared %b, card %d: drain %d copy %d"
                  + " restore %d all %d us, blackout %.2f ms, %d submissions%n",
              microseconds,
              mib,
              prepared,
              card,
              (drained - start) / 1000,
              there[0] / 1000,
              there[1] / 1000,
              (done - start) / 1000,
              gap / 1e6,
              guest.submitted());
        }
      }
    }
  }

  private static Mapping map(Kernel kernel, Fd fd, long bytes) {
    return kernel.mmap(fd, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
  }

  private static void print(String what, long totalNs, long gapNs) {
    System.out.printf(
        Locale.ROOT, "%s: %.2f ms, blackout %.2f ms%n", what, totalNs / 1e6, gapNs / 1e6);
  }
}

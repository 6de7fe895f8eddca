package io.sluice.testbed.conformance.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.guest.Space;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.local.LocalConnection;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.conformance.rig.BusyGuest;
import io.sluice.testbed.conformance.rig.Cubin;
import io.sluice.testbed.conformance.rig.MovablePages;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Processes that never stop submitting, while sluicectl moves them from one daemon to another. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
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

  /** A guest of a daemon with two channels, and a word that one of them waits for. */
  private static final class Waiting implements AutoCloseable {
    private static final long RING_BYTES = (HopperRing.SIZE_BYTES + 0xffff) & -0x1_0000L;
    private static final GpuVa BASE = NvidiaRig.RING;
    private static final GpuVa WORD = new GpuVa(BASE.value() + 2 * RING_BYTES);
    private static final GpuVa COUNTER = new GpuVa(WORD.value() + 64);

    final AttachedDevice device;
    final MemorySegment words;
    final HopperRing waits;
    final HopperRing releases;
    final HopperCommands commands = new HopperCommands();

    Waiting(Path socket) {
      device = AttachedDevice.attach(NvidiaRig.kernel(), socket);
      Buffer ram = device.allocateProcess(2 * RING_BYTES + 0x1_0000);
      Space space = device.newSpace();
      var _ = space.map(ram, BASE.value(), BASE.value() + 2 * RING_BYTES + 0x1_0000);
      words = ram.bytes().asSlice(2 * RING_BYTES);
      waits = ring(ram, space, 0);
      releases = ring(ram, space, RING_BYTES);
    }

    private HopperRing ring(Buffer ram, Space space, long offset) {
      long at = BASE.value() + offset;
      int cid = device.newChannel(space, NvidiaRig.COPY_CLASS);
      device.startChannel(cid, at, HopperRing.ORDER);
      MovablePages pages = new MovablePages(device.controlPage(cid), device.doorbell());
      pages.whenMoved(device::mapDoorbell);
      return new HopperRing(ram.bytes().asSlice(offset, RING_BYTES), pages, new GpuVa(at));
    }

    long count(HopperRing ring) {
      return ring.submitWithRelease(commands.clear().increment(COUNTER));
    }

    boolean done(HopperRing ring, long submission) {
      return ring.await(submission, System::nanoTime, 10 * NvidiaRig.TIMEOUT_NS);
    }

    @Override
    public void close() {
      device.close();
    }
  }

  private static String phase(LocalConnection connection) throws Exception {
    MigrationStatusView view = connection.migrations().getMigrations().get(GUEST);
    return view == null ? "" : view.phase();
  }

  /** Given up in the drain, which waits for what the guest submits to the other channel later. */
  @Test
  void abort_whileAChannelWaits_holdsTheGuestOnNeither() throws Exception {
    try (Daemon first = daemon("a", 0);
        Daemon second = daemon("b", 0);
        Waiting guest = new Waiting(first.socket(GUEST))) {
      assertThat(guest.done(guest.waits, guest.count(guest.waits))).isTrue();
      assertThat(guest.done(guest.releases, guest.count(guest.releases))).isTrue();
      int counted = 2;
      for (int round = 1; round <= 2; round++) {
        long _ =
            guest.waits.submitWithRelease(
                guest.commands.clear().acquire(Waiting.WORD, round).increment(Waiting.COUNTER));
        String to = second.migrationSocket();
        var started =
            CompletableFuture.supplyAsync(() -> {
              try {
                return first.tryCtl("migration", "start", GUEST, "--to", to);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
        try (LocalConnection connection = first.connect()) {
          NvidiaDaemon.SOON.until(
              started, () -> phase(connection).equals("drain") || started.isDone());
          assertThat(started).isNotDone();
        }
        first.ctl("migration", "abort", GUEST);
        assertThat(started.get().code()).isNotZero();
        long start = System.nanoTime();
        long last = guest.count(guest.waits);
        last = guest.count(guest.waits);
        long submitted = System.nanoTime();
        long released =
            guest.releases.submitWithRelease(guest.commands.clear().release(Waiting.WORD, round));
        assertThat(guest.done(guest.releases, released)).isTrue();
        assertThat(guest.done(guest.waits, last)).isTrue();
        counted += 3;
        System.out.printf(
            Locale.ROOT,
            "migration given up while a channel waits: guest submits after %.2f ms, all done after"
                + " %.2f ms%n",
            (submitted - start) / 1e6,
            (System.nanoTime() - start) / 1e6);
        assertThat(guest.words.get(ValueLayout.JAVA_INT, 64)).isEqualTo(counted);
      }
      System.out.print(first.ctl("migration", "start", GUEST, "--to", second.migrationSocket()));
      assertThat(guest.done(guest.waits, guest.count(guest.waits))).isTrue();
      assertThat(guest.done(guest.releases, guest.count(guest.releases))).isTrue();
      assertThat(guest.words.get(ValueLayout.JAVA_INT, 64)).isEqualTo(counted + 2);
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

package io.sluice.testbed.conformance.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperLaunch;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.guest.CallFailedException;
import io.sluice.management.QuotaStatus;
import io.sluice.testbed.checks.LeakCheck;
import io.sluice.testbed.conformance.rig.Cubin;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A real sluiced with an NVIDIA GPU, and processes as its guests; P13 is printed. */
@Tag(LeakCheck.KEEPS_CONNECTIONS)
final class NvidiaDaemonTest {
  private static final int BYTES = CopyingGuest.BYTES;
  private static final long CODE = 1L << 20;

  /** After which a guest that keeps another one waiting is killed. */
  private static final long LIMIT_MS = 200;

  /** Enough for that many times over. */
  private static final long LONG_MS = 1500;

  /** Too short for it. */
  private static final long SHORT_MS = 50;

  @TempDir private Path directory;

  @RegisterExtension
  final NvidiaDaemon daemon =
      new NvidiaDaemon(
          () -> directory,
          "",
          """
          [[guest]]
          name = "a"
          vram-limit = "1GiB"

          [[guest]]
          name = "b"
          vram-limit = "64MiB"
          beyond-share = "system-memory"
          """);

  @Test
  void guestsOfADaemon_copyThroughVideoMemory_withoutACallToIt() throws Exception {
    try (var a = daemon.guest("a");
        var b = daemon.guest("b")) {
      byte value = 0x31;
      for (var guest : List.of(a, b)) {
        guest.half(0).fill(value++);
        assertThat(guest.roundTrip()).isTrue();
      }
      assertThat(a.half(1).mismatch(a.half(0))).isEqualTo(-1);
      assertThat(b.half(1).mismatch(b.half(0))).isEqualTo(-1);
      assertThat(a.at).as("the same addresses").isEqualTo(b.at);
      // One guest's fault is its own.
      long bad =
          a.ring.submitWithRelease(
              new HopperCommands().copy(new GpuVa(0x70_0000_0000L), new GpuVa(a.video), 4096));
      long until = System.nanoTime() + NvidiaRig.TIMEOUT_NS;
      while (ControlWords.ERROR.bitsAcquire(a.control, GuestAbi.CONTROL_OFFSET) == 0
          && System.nanoTime() < until) {
        assertThat(b.roundTrip()).isTrue();
      }
      assertThat(ControlWords.ERROR.bitsAcquire(a.control, GuestAbi.CONTROL_OFFSET))
          .isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
      assertThat(ControlWords.ERROR_ADDRESS.get(a.control, GuestAbi.CONTROL_OFFSET))
          .isEqualTo(0x70_0000_0000L);
      assertThat(a.ring.hasReleased(bad)).isFalse();
      b.half(0).fill((byte) 0x77);
      assertThat(b.roundTrip()).isTrue();
      assertThat(b.half(1).get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) 0x77);
    }
    try (var again = daemon.guest("a")) {
      assertThat(again.roundTrip()).as("a guest that comes back").isTrue();
    }
  }

  @Test
  void guestsBeyondTheirShare_getNoneOrSystemMemory() throws Exception {
    long size = 32L << 20;
    try (var refused = daemon.guest("a");
        var moved = daemon.guest("b")) {
      assertThatThrownBy(() -> refused.device.allocateVideo(2L << 30))
          .isInstanceOfSatisfying(
              CallFailedException.class,
              e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM.number()));
      assertThat(refused.roundTrip()).isTrue();
      long first = moved.at + HopperRing.SIZE_BYTES;
      for (int i = 0; i < 4; i++) {
        long there = moved.space.map(moved.device.allocateVideo(size)).value();
        moved.half(0).fill((byte) (0x40 + i));
        moved.half(1).fill((byte) 0);
        assertThat(moved.copy(first, there + size - BYTES)).isTrue();
        assertThat(moved.copy(there + size - BYTES, first + BYTES)).isTrue();
        assertThat(moved.half(1).mismatch(moved.half(0))).as("buffer %d", i).isEqualTo(-1);
      }
      QuotaStatus quota = daemon.quota("b");
      System.out.println(quota);
      assertThat(quota.heldBytes()).isLessThanOrEqualTo(64L << 20);
      assertThat(quota.evictedBytes()).isGreaterThanOrEqualTo(2 * size);
      assertThat(refused.roundTrip()).isTrue();
    }
  }

  @Test
  void quota_loweredAndRaisedBySluicectl_movesMemoryAndKeepsBytesAndAddresses() throws Exception {
    long size = 32L << 20;
    try (var a = daemon.guest("a");
        var b = daemon.guest("b")) {
      long first = a.at + HopperRing.SIZE_BYTES;
      List<Long> buffers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        long there = a.space.map(a.device.allocateVideo(size)).value();
        a.half(0).fill((byte) (0x10 + i));
        assertThat(a.copy(first, there + size - BYTES)).isTrue();
        buffers.add(there);
      }
      for (String limit : List.of("64MiB", "1GiB")) {
        daemon.ctl("quota", "set", "a", "--vram-limit", limit);
        boolean lowered = limit.equals("64MiB");
        QuotaStatus status =
            daemon.awaitQuota(
                "a", now -> lowered ? now.heldBytes() <= 64L << 20 : now.evictedBytes() == 0);
        System.out.println(status);
        assertThat(status.evictedBytes()).isGreaterThanOrEqualTo(lowered ? 2 * size : 0);
        assertThat(b.roundTrip()).isTrue();
        for (int i = 0; i < 4; i++) {
          a.half(0).fill((byte) (0x10 + i));
          a.half(1).fill((byte) 0);
          assertThat(a.copy(buffers.get(i) + size - BYTES, first + BYTES)).isTrue();
          assertThat(a.half(1).mismatch(a.half(0))).as("buffer %d, %s", i, limit).isEqualTo(-1);
        }
      }
    }
  }

  /** Thread blocks of 400 ms, of which some are queued: bounded, whatever happens. */
  @Test
  void kernels_thatKeepAnotherGuestWaiting_areKilledByTheDaemon() throws Exception {
    Optional<HopperKernel> compiled = Cubin.compile("busy.cu");
    Assumptions.assumeTrue(compiled.isPresent(), "nvcc is not on the PATH");
    HopperKernel kernel = compiled.orElseThrow();
    try (var hog = daemon.guest("a", NvidiaRig.COMPUTE_CLASS);
        var other = daemon.guest("b", NvidiaRig.COMPUTE_CLASS)) {
      daemon.ctl("quota", "set", "a", "--kill-timeout", "100ms");
      assertThat(other.done(other.ring.submitWithRelease(new HopperCommands()))).isTrue();
      long at = hog.at + HopperRing.SIZE_BYTES;
      MemorySegment program = hog.half(0);
      MemorySegment.copy(
          kernel.code(), 0, program, ValueLayout.JAVA_BYTE, CODE, kernel.code().length);
      HopperLaunch.store(
          kernel,
          at + CODE,
          program,
          0,
          at,
          1,
          32,
          (int) hog.video,
          (int) (hog.video >>> 32),
          0,
          400_000);
      HopperCommands commands = HopperLaunch.setUp(new HopperCommands());
      for (int i = 0; i < 5; i++) {
        long _ = hog.ring.submitWithRelease(HopperLaunch.of(commands, at));
        commands.clear();
      }
      long waits = other.ring.submitWithRelease(new HopperCommands());
      long until = System.nanoTime() + 30_000_000_000L;
      while (ControlWords.ERROR.bitsAcquire(hog.control, GuestAbi.CONTROL_OFFSET) == 0
          && System.nanoTime() < until) {
        if (other.ring.hasReleased(waits)) {
          waits = other.ring.submitWithRelease(new HopperCommands());
        }
      }
      assertThat(ControlWords.ERROR.bitsAcquire(hog.control, GuestAbi.CONTROL_OFFSET))
          .isEqualTo(GuestAbi.ERROR_TIMEOUT);
      assertThat(other.done(waits)).isTrue();
      assertThat(ControlWords.ERROR.bitsAcquire(other.control, GuestAbi.CONTROL_OFFSET)).isZero();
      System.out.println(daemon.awaitQuota("a", now -> now.kills() == 1));
    }
  }

  /** A guest that always has copies under way. */
  private static final class Busy implements AutoCloseable {
    private static final int WINDOW = 64;

    final CopyingGuest guest;
    private final Thread thread = new Thread(this::run, "busy");
    private volatile boolean stopping;
    private volatile boolean refused;

    Busy(CopyingGuest guest) {
      this.guest = guest;
      thread.start();
    }

    private void run() {
      long first = guest.at + HopperRing.SIZE_BYTES;
      HopperCommands commands = new HopperCommands();
      long last = 0;
      while (!stopping) {
        if (last == 0 || guest.ring.hasReleased(last - WINDOW)) {
          commands.clear().bindCopy().copy(new GpuVa(first), new GpuVa(guest.video), BYTES);
          last = guest.ring.submitWithRelease(commands);
        } else {
          Thread.onSpinWait();
        }
      }
      refused = !guest.done(last);
    }

    /** Whether all was done in the end. */
    boolean stop() throws InterruptedException {
      stopping = true;
      thread.join();
      return !refused;
    }

    @Override
    public void close() throws InterruptedException {
      stopping = true;
      thread.join();
      guest.close();
    }
  }

  private static int error(CopyingGuest guest) {
    return ControlWords.ERROR.bitsAcquire(guest.control, GuestAbi.CONTROL_OFFSET);
  }

  /** The acquire is all that was put: it is fetched, and GP_GET says what it says of a rest. */
  @Test
  void acquires_thatNobodyReleases_areKilledByTheDaemonWhileAnotherGuestWorks() throws Exception {
    daemon.ctl("quota", "set", "a", "--kill-timeout", LIMIT_MS + "ms");
    try (Busy other = new Busy(daemon.guest("b"))) {
      for (int round = 0; round < 10; round++) {
        int engine = round % 2 == 0 ? NvidiaRig.COPY_CLASS : NvidiaRig.COMPUTE_CLASS;
        try (var stuck = daemon.guest("a", engine)) {
          assertThat(stuck.done(stuck.ring.submitWithRelease(new HopperCommands()))).isTrue();
          GpuVa word =
              round % 3 == 0
                  ? new GpuVa(stuck.video)
                  : new GpuVa(stuck.at + HopperRing.SIZE_BYTES + BYTES);
          long start = System.nanoTime();
          long never = stuck.ring.submitWithRelease(new HopperCommands().acquire(word, 77));
          while (error(stuck) == 0 && System.nanoTime() - start < 30_000_000_000L) {
            Thread.onSpinWait();
          }
          long took = System.nanoTime() - start;
          System.out.printf(
              Locale.ROOT,
              "endless acquire, engine %x: gone after %.1f ms, limit %d ms%n",
              engine,
              took / 1e6,
              LIMIT_MS);
          assertThat(error(stuck)).isEqualTo(GuestAbi.ERROR_TIMEOUT);
          assertThat(stuck.ring.hasReleased(never)).isFalse();
        }
      }
      assertThat(error(other.guest)).isZero();
      assertThat(other.stop()).isTrue();
      assertThat(error(other.guest)).isZero();
    }
    System.out.println(daemon.awaitQuota("a", now -> now.kills() == 10));
  }

  /** Waiting is no offence, however often; nor is being alone. */
  @Test
  void acquires_thatAreReleasedInTime_orOfAGuestThatIsAlone_areLeftAlone() throws Exception {
    daemon.ctl("quota", "set", "a", "--kill-timeout", LIMIT_MS + "ms");
    try (var waits = daemon.guest("a")) {
      MemorySegment word = waits.half(1);
      GpuVa address = new GpuVa(waits.at + HopperRing.SIZE_BYTES + BYTES);
      long done = waits.ring.submitWithRelease(new HopperCommands().acquire(address, 1));
      Thread.sleep(LONG_MS);
      assertThat(error(waits)).as("alone").isZero();
      word.set(ValueLayout.JAVA_LONG, 0, 1);
      assertThat(waits.done(done)).isTrue();
      try (Busy other = new Busy(daemon.guest("b"))) {
        for (int i = 2; i < 60; i++) {
          done = waits.ring.submitWithRelease(new HopperCommands().acquire(address, i));
          Thread.sleep(SHORT_MS);
          word.set(ValueLayout.JAVA_LONG, 0, (long) i);
          assertThat(waits.done(done)).as("round %d", i).isTrue();
        }
        assertThat(error(waits)).isZero();
        Thread.sleep(LONG_MS);
        assertThat(error(waits)).as("rests").isZero();
        assertThat(other.stop()).isTrue();
      }
      assertThat(waits.roundTrip()).isTrue();
    }
    assertThat(daemon.quota("a").kills()).isZero();
  }
}

package io.sluice.testbed.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.GpuVa;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Errno;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.HopperCommands;
import io.sluice.channel.nvidia.HopperRing;
import io.sluice.guest.Buffer;
import io.sluice.guest.CallFailedException;
import io.sluice.guest.GuestDevice;
import io.sluice.guest.Space;
import io.sluice.management.QuotaStatus;
import io.sluice.management.local.LocalConnection;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real sluiced with an NVIDIA GPU, and processes as its guests. */
final class NvidiaDaemonTest {
  private static final int BYTES = 8 << 20;

  @TempDir private Path directory;
  private @Nullable Daemon daemon;

  @BeforeEach
  void start() throws Exception {
    NvidiaRig.open().close();
    daemon =
        Daemon.start(
            directory,
            "[gpu.nvidia]\ndevice = \"/dev/nvidia0\"\n",
            """
            [[guest]]
            name = "a"
            vram-limit = "1GiB"

            [[guest]]
            name = "b"
            vram-limit = "64MiB"
            beyond-share = "system-memory"
            """,
            "b");
  }

  @AfterEach
  void stop() throws Exception {
    if (daemon != null) {
      daemon.close();
    }
  }

  /** What a process guest has: memory of its own with a ring in it, and video memory. */
  private static final class Guest implements AutoCloseable {
    final GuestDevice device;
    final Space space;
    final Buffer memory;
    final long at;
    final long video;
    final HopperRing ring;
    final MemorySegment control;

    Guest(Kernel kernel, Path socket) {
      device = GuestDevice.attach(kernel, socket);
      space = device.newSpace();
      memory = device.allocateProcess(HopperRing.SIZE_BYTES + 2L * BYTES);
      at = space.map(memory).value();
      video = space.map(device.allocateVideo(BYTES)).value();
      int cid = device.newChannel(space, NvidiaRig.COPY_CLASS);
      device.startChannel(cid, at, HopperRing.ORDER);
      control = device.controlPage(cid);
      ring = new HopperRing(memory.bytes(), control, device.doorbell(), new GpuVa(at));
    }

    MemorySegment half(int index) {
      return memory.bytes().asSlice(HopperRing.SIZE_BYTES + (long) index * BYTES, BYTES);
    }

    boolean copy(long from, long to) {
      long done =
          ring.submitWithRelease(
              new HopperCommands().bindCopy().copy(new GpuVa(from), new GpuVa(to), BYTES));
      return ring.await(done, System::nanoTime, NvidiaRig.TIMEOUT_NS);
    }

    boolean roundTrip() {
      long first = at + HopperRing.SIZE_BYTES;
      return copy(first, video) && copy(video, first + BYTES);
    }

    @Override
    public void close() {
      device.close();
    }
  }

  @Test
  void guestsOfADaemon_copyThroughVideoMemory_withoutACallToIt() throws Exception {
    Kernel kernel = NvidiaRig.kernel();
    try (var a = new Guest(kernel, directory.resolve("a.sock"));
        var b = new Guest(kernel, directory.resolve("b.sock"))) {
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
      while (ControlWords.error(a.control, GuestAbi.CONTROL_OFFSET) == 0
          && System.nanoTime() < until) {
        assertThat(b.roundTrip()).isTrue();
      }
      assertThat(ControlWords.error(a.control, GuestAbi.CONTROL_OFFSET))
          .isEqualTo(GuestAbi.ERROR_PAGE_FAULT);
      assertThat(a.ring.hasReleased(bad)).isFalse();
      b.half(0).fill((byte) 0x77);
      assertThat(b.roundTrip()).isTrue();
      assertThat(b.half(1).get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) 0x77);
    }
    try (var again = new Guest(kernel, directory.resolve("a.sock"))) {
      assertThat(again.roundTrip()).as("a guest that comes back").isTrue();
    }
  }

  @Test
  void guestsBeyondTheirShare_getNoneOrSystemMemory() throws Exception {
    Kernel kernel = NvidiaRig.kernel();
    long size = 32L << 20;
    try (var refused = new Guest(kernel, directory.resolve("a.sock"));
        var moved = new Guest(kernel, directory.resolve("b.sock"))) {
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
      try (LocalConnection connection = LocalConnection.open(directory.resolve("control"))) {
        QuotaStatus quota = connection.daemon().getQuotas().get("b");
        System.out.println(quota);
        assertThat(quota)
            .isNotNull()
            .satisfies(status -> {
              assertThat(status.heldBytes()).isLessThanOrEqualTo(64L << 20);
              assertThat(status.evictedBytes()).isGreaterThanOrEqualTo(2 * size);
            });
      }
      assertThat(refused.roundTrip()).isTrue();
    }
  }
}

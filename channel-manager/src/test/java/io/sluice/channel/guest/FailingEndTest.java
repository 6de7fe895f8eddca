package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.drm.DrmIoctl;
import io.sluice.testbed.checks.StandIn;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A guest of whose freed things the GPU fails to take one back: it keeps none of the others. */
final class FailingEndTest {
  private static final long BYTES = 1 << 20;

  private boolean fails = true;
  private final GpuRig rig = new GpuRig(this::failing);
  private final Guest guest = rig.attach("failing");

  /** A device that fails to free the first buffer, in a way that nobody foresaw. */
  private DrmDevice failing(DrmDevice device) {
    return StandIn.of(
        DrmDevice.class,
        device,
        call -> {
          if (call.is("ioctl") && call.argument(0, Integer.class) == DrmIoctl.GEM_CLOSE && fails) {
            fails = false;
            throw new IllegalStateException("by the test");
          }
          return call.pass();
        });
  }

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  @Test
  void reset_oneThingIsNotTakenBack_theOthersAre() {
    guest.buffers().allocate(0, 0, 0, BYTES);
    guest.buffers().allocate(0, 0, 0, BYTES);
    guest.reset();
    assertThat(guest.buffers().usage().vramFreeBytes()).isEqualTo(GpuRig.VRAM_BYTES - BYTES);
    assertThat(guest.buffers().use().videoBytes()).isZero();
    guest.buffers().allocate(0, 0, 0, BYTES);
  }

  @Test
  void close_oneThingIsNotTakenBack_theDeviceHasAll() {
    Guest other = rig.attach("other");
    guest.buffers().allocate(0, 0, 0, BYTES);
    guest.close();
    assertThat(guest.isClosed()).isTrue();
    assertThat(other.buffers().usage().vramFreeBytes()).isEqualTo(GpuRig.VRAM_BYTES);
  }
}

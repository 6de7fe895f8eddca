package io.sluice.testbed.conformance.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.guest.ControlWords;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What stands above the SPI, unchanged, on an NVIDIA GPU: a guest with its own memory. */
final class NvidiaGuestTest {
  private static final GpuVa END = new GpuVa(1L << 40);
  private static final int PAGE = 4096;

  /** What the guest was told. */
  private static final class Told implements GuestListener {
    final List<Integer> interrupts = new ArrayList<>();
    final List<ChannelError> errors = new ArrayList<>();

    @Override
    public void onInterrupt(int channelId) {
      interrupts.add(channelId);
    }

    @Override
    public void onChannelError(ChannelError error) {
      errors.add(error);
    }
  }

  @Test
  void guest_withRingInItsOwnMemory_submitsIsInterruptedAndKilled() throws Exception {
    Kernel kernel = NvidiaRig.kernel();
    NvidiaGpu gpu = NvidiaRig.open();
    Told told = new Told();
    try (Guest guest = new Guest("g", gpu, kernel, told);
        Fd ram = kernel.memfdCreate("guest-ram", HopperRing.SIZE_BYTES);
        Mapping memory = map(kernel, new SharedArea(ram, 0, HopperRing.SIZE_BYTES));
        Mapping control = map(kernel, guest.controlPages());
        Mapping doorbell = map(kernel, guest.doorbell().orElseThrow())) {
      var region = guest.buffers().addRegion(new Iova(0), ram, 0, HopperRing.SIZE_BYTES, true);
      int handle = guest.buffers().register(PscnvGem.SYSRAM_SNOOP, 0, HopperRing.SIZE_BYTES);
      guest
          .buffers()
          .setPages(handle, 0, List.of(new RegionExtent(region, 0, HopperRing.SIZE_BYTES)));
      int vid = guest.spaces().create();
      GpuVa ringAt = guest.spaces().map(vid, handle, new GpuVa(0x2000_0000L), END, false);
      int cid = guest.channels().create(vid);
      guest.channels().declareObject(cid, 1, NvidiaRig.COPY_CLASS, 0);
      guest.channels().start(cid, ringAt, HopperRing.ORDER, 1);
      long page = (long) cid * PAGE;
      assertThat(
              ControlWords.GENERATION.bitsAcquire(
                  control.segment(), page + GuestAbi.CONTROL_OFFSET))
          .isEqualTo(guest.generation());

      HopperRing ring =
          new HopperRing(
              memory.segment(), control.segment().asSlice(page, PAGE), doorbell.segment(), ringAt);
      for (int i = 0; i < 600; i++) {
        long done = ring.submitWithRelease(new HopperCommands());
        assertThat(ring.await(done, System::nanoTime, NvidiaRig.TIMEOUT_NS)).isTrue();
      }
      ring.submit(new HopperCommands().interrupt());
      int ready =
          kernel.poll(List.of(guest.events()), new short[] {Kernel.POLLIN}, new short[1], 2000);
      assertThat(ready).isEqualTo(1);
      assertThat(guest.dispatchEvents()).isEqualTo(1);
      assertThat(told.interrupts).containsExactly(cid);

      guest.channels().suspend(cid, "test");
      long held = ring.submitWithRelease(new HopperCommands());
      assertThat(ring.await(held, System::nanoTime, 30_000_000)).isFalse();
      guest.channels().resume(cid, "test");
      assertThat(ring.await(held, System::nanoTime, NvidiaRig.TIMEOUT_NS)).isTrue();

      guest.channels().kill(cid, GuestAbi.ERROR_OPERATOR, 7);
      assertThat(told.errors).singleElement().extracting(ChannelError::info).isEqualTo(7);
      assertThat(ControlWords.STATE.bitsAcquire(control.segment(), page + GuestAbi.CONTROL_OFFSET))
          .isEqualTo(GuestAbi.CHANNEL_DEAD);
      assertThat(guest.channels().query(cid).state()).isEqualTo(ChannelState.DEAD);
      guest.channels().free(cid);
      guest.reset();
      assertThat(guest.channels().ids()).isEmpty();
    } finally {
      gpu.close();
    }
  }

  private static Mapping map(Kernel kernel, SharedArea area) {
    return kernel.mmap(
        area.fd(), area.offset(), area.sizeBytes(), Kernel.PROT_READ | Kernel.PROT_WRITE);
  }
}

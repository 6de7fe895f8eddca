package io.sluice.channel.nvidia;

import io.sluice.abi.Layouts;
import io.sluice.channel.Limits;
import io.sluice.channel.nvidia.Detachment.Ring;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a channel that goes on in the middle of a ring. A new channel begins with entry 0: it is
 * led to the wanted one over a ring of ours, empty entries and one with the set-up segment, mapped
 * in place of the guest's, which is never touched.
 *
 * <p>What else lies in the buffer of the ring is not mapped meanwhile, so that the other channels
 * of the address space are stopped.
 */
final class Seeding {
  private static final int MAX_ATTEMPTS = 3;
  private static final long LIMIT_NS = 2_000_000_000L;

  private final NvidiaGuestGpu gpu;
  private final Ring ring;
  private final HardwareChannel.Plan plan;
  private final UserdWords words;
  private final int[] setup;

  /**
   * @param plan of the channel
   * @param setup words that set its engines up
   */
  Seeding(NvidiaGuestGpu gpu, Ring ring, HardwareChannel.Plan plan, int[] setup) {
    this.gpu = gpu;
    this.ring = ring;
    this.plan = plan;
    this.words = new UserdWords(plan.page());
    this.setup = setup;
  }

  /**
   * A channel whose next entry is this one, disabled. The guest, which holds still, has its GP_PUT
   * and its ring back.
   */
  HardwareChannel create(int next, int guestPut) {
    List<HardwareChannel> stopped = gpu.stopChannelsOf(ring.space());
    try {
      for (int attempt = 1; ; attempt++) {
        HardwareChannel channel = createOnce(next);
        if (channel != null) {
          // A store of the guest that was on the way wins.
          words.replacePut(next, guestPut);
          return channel;
        }
        if (attempt == MAX_ATTEMPTS) {
          throw RmRefusal.monitorStuck();
        }
      }
    } finally {
      stopped.forEach(channel -> channel.setDisabled(false));
    }
  }

  private @Nullable HardwareChannel createOnce(int next) {
    long start = ring.start().value() & -Limits.PAGE_BYTES;
    long end = ring.start().value() + ring.entries() * 8L;
    long bytes = (end - start + Limits.PAGE_BYTES - 1) & -Limits.PAGE_BYTES;
    RmClient client = gpu.client();
    SharedPages pages = SharedPages.create(gpu.kernel(), "sluice-seed", bytes);
    try {
      int object = client.registerMemory(pages.all());
      try (NvidiaAddressSpace.Hole _ = ring.space().replace(object, bytes, start);
          Scratch scratch = Scratch.map(gpu, ring.space(), ring.channelId())) {
        MemorySegment slots = pages.all().asSlice(ring.start().value() - start);
        return lead(slots, scratch, next);
      } finally {
        client.free(client.device(), object);
      }
    } finally {
      pages.close();
    }
  }

  private @Nullable HardwareChannel lead(MemorySegment slots, Scratch scratch, int next) {
    int last = (next - 1) & (ring.entries() - 1);
    slots.set(Layouts.U64, last * 8L, scratch.setUp(setup));
    HardwareChannel channel = HardwareChannel.create(gpu.client(), plan, false);
    boolean complete = false;
    try {
      // The ring's end cannot be put at once from its beginning.
      boolean arrived = (next != 0 || run(channel, last)) && run(channel, next);
      complete = arrived && waitFor(() -> scratch.isReleased(0));
      if (complete) {
        channel.setDisabled(true);
      }
      return complete ? channel : null;
    } finally {
      if (!complete) {
        channel.destroy();
      }
    }
  }

  /** Whether it has stopped at the index; a late store of the guest's may have led it on. */
  private boolean run(HardwareChannel channel, int index) {
    words.put(index);
    VarHandle.fullFence();
    gpu.doorbellPage().ring(channel.token());
    return waitFor(() -> words.get() == index);
  }

  private boolean waitFor(BooleanSupplier condition) {
    long start = gpu.timeNs();
    while (!condition.getAsBoolean()) {
      if (gpu.timeNs() - start > LIMIT_NS) {
        return condition.getAsBoolean();
      }
      Thread.onSpinWait();
    }
    return true;
  }
}

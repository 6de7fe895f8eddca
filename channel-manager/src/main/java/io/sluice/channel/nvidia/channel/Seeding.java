package io.sluice.channel.nvidia.channel;

import io.sluice.abi.Layouts;
import io.sluice.channel.nvidia.memory.NvidiaAddressSpace;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.rm.RmClient;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.SharedPages;
import io.sluice.channel.nvidia.submit.UserdWords;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The making of a channel that goes on in the middle of a ring. A new channel begins with entry 0:
 * it is led to the wanted one over a ring of ours, empty entries and one with the set-up segment,
 * mapped in place of the guest's, which is never touched.
 *
 * <p>What else lies in the buffer of the ring is not mapped meanwhile, so that the other channels
 * of the address space are stopped.
 */
public final class Seeding implements AutoCloseable {
  private static final int MAX_ATTEMPTS = 3;
  private static final long LIMIT_NS = 2_000_000_000L;

  private final ChannelHome home;
  private final ChannelRing ring;
  private final HardwareChannel.ChannelPlan plan;
  private final UserdWords words;
  private final int[] setup;

  // Ours in place of the guest's.
  private final long start;
  private final SharedPages pages;
  private final int object;
  private final ScratchPages scratch;

  /** Made, and not yet led anywhere. */
  private @Nullable HardwareChannel channel;

  private Seeding(
      ChannelHome home,
      ChannelRing ring,
      HardwareChannel.ChannelPlan plan,
      int[] setup,
      SharedPages pages,
      int object,
      ScratchPages scratch) {
    this.home = home;
    this.ring = ring;
    this.plan = plan;
    this.words = new UserdWords(plan.page());
    this.setup = setup.clone();
    this.start = start(ring);
    this.pages = pages;
    this.object = object;
    this.scratch = scratch;
  }

  /**
   * Everything but the leading: the channel is made, which takes longest.
   *
   * @param setup words that set its engines up
   */
  static Seeding prepare(
      ChannelHome home, ChannelRing ring, HardwareChannel.ChannelPlan plan, int[] setup) {
    RmOpen open = home.open();
    RmClient client = open.client();
    List<Runnable> undo = new ArrayList<>();
    boolean complete = false;
    try {
      long end = ring.start().value() + ring.entries() * 8L;
      long bytes = (end - start(ring) + GuestLimits.PAGE_BYTES - 1) & -GuestLimits.PAGE_BYTES;
      SharedPages pages = SharedPages.create(open.kernel(), "sluice-seed", bytes);
      undo.add(pages::close);
      int object = client.registerMemory(pages.all());
      undo.add(() -> open.free(object));
      ScratchPages scratch = ScratchPages.map(open, ring.space().space(), ring.channelId());
      undo.add(scratch::close);
      Seeding made = new Seeding(home, ring, plan, setup, pages, object, scratch);
      made.channel = HardwareChannel.create(client, plan, false);
      complete = true;
      return made;
    } finally {
      if (!complete) {
        undo.reversed().forEach(Runnable::run);
      }
    }
  }

  private static long start(ChannelRing ring) {
    return ring.start().value() & -GuestLimits.PAGE_BYTES;
  }

  boolean isFor(ChannelRing wanted) {
    return ring.equals(wanted);
  }

  /**
   * Leads the channel to an entry, its next. It is disabled; the guest, which holds still, has its
   * GP_PUT and its ring back.
   */
  HardwareChannel lead(int next, int guestPut) {
    List<HardwareChannel> stopped = home.host().stop(ring.space());
    HardwareChannel led = null;
    boolean complete = false;
    try (NvidiaAddressSpace.Hole hole =
        ring.space().replace(object, pages.all().byteSize(), start)) {
      for (int attempt = 0; led == null && attempt < MAX_ATTEMPTS; attempt++) {
        led = leadOnce(next);
      }
      if (led == null) {
        throw RmRefusal.monitorStuck();
      }
      // A store of the guest that was on the way wins.
      words.replacePut(next, guestPut);
      hole.close();
      complete = true;
      return led;
    } finally {
      if (!complete && led != null) {
        led.destroy();
      }
      stopped.forEach(HardwareChannel::enableIfPossible);
    }
  }

  private @Nullable HardwareChannel leadOnce(int next) {
    HardwareChannel led =
        channel != null ? channel : HardwareChannel.create(home.open().client(), plan, false);
    channel = null;
    int last = (next - 1) & (ring.entries() - 1);
    MemorySegment slots = pages.all().asSlice(ring.start().value() - start);
    slots.fill((byte) 0);
    slots.set(Layouts.U64, last * 8L, scratch.setUp(setup));
    boolean complete = false;
    try {
      // The ring's end cannot be put at once from its beginning.
      boolean arrived =
          (next != 0 || run(led, last)) && run(led, next) && waitFor(() -> scratch.isReleased(0));
      if (arrived) {
        led.setDisabled(true);
        complete = true;
      }
      return arrived ? led : null;
    } finally {
      if (!complete) {
        led.destroy();
      }
    }
  }

  /** Whether it has stopped at the index; a late store of the guest's may have led it on. */
  private boolean run(HardwareChannel led, int index) {
    words.put(index);
    VarHandle.fullFence();
    home.open().doorbell().ring(led.token());
    return waitFor(() -> words.get() == index);
  }

  private boolean waitFor(BooleanSupplier condition) {
    long since = home.open().timeNs();
    while (!condition.getAsBoolean()) {
      if (home.open().timeNs() - since > LIMIT_NS) {
        return condition.getAsBoolean();
      }
      Thread.onSpinWait();
    }
    return true;
  }

  /** Gives all back but a channel that was led. */
  @Override
  public void close() {
    if (channel != null) {
      channel.destroy();
      channel = null;
    }
    scratch.close();
    home.open().free(object);
    pages.close();
  }
}

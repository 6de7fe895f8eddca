package io.sluice.channel.nvidia.submit;

import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.rm.RmClient;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.rm.RmSpace;
import io.sluice.channel.nvidia.rm.SharedPages;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A channel of ours in an address space of ours: a ring, host memory behind it, and a page for the
 * hardware. Guarded by the open's lock.
 */
public final class OwnChannel implements AutoCloseable {
  private final RmOpen open;
  private final RmSpace space;
  private final OwnChannelPlan plan;
  private final SharedPages memory;
  private final SharedPages pages;
  private final int object;
  private final HardwareChannel channel;
  private final HopperRing ring;

  /**
   * The parts that a channel is made of.
   *
   * @param name of its memory, for who looks at the daemon's files
   * @param engine {@link io.sluice.abi.rm.RmEngine}
   * @param start where its memory is mapped, which begins with the ring
   * @param bytes of that, whole pages, the ring included
   */
  record OwnChannelPlan(String name, int engine, GpuVa start, long bytes) {}

  private OwnChannel(
      RmOpen open,
      RmSpace space,
      OwnChannelPlan plan,
      SharedPages memory,
      SharedPages pages,
      int object,
      HardwareChannel channel) {
    this.open = open;
    this.space = space;
    this.plan = plan;
    this.memory = memory;
    this.pages = pages;
    this.object = object;
    this.channel = channel;
    ring = new HopperRing(memory.all(), pages.page(0), open.doorbell().page(), plan.start());
  }

  /** Makes one; what was made of it when that fails is freed. */
  static OwnChannel make(RmOpen open, RmSpace space, OwnChannelPlan plan) {
    RmClient client = open.client();
    List<Runnable> undo = new ArrayList<>();
    boolean complete = false;
    try {
      SharedPages memory = SharedPages.create(open.kernel(), plan.name(), plan.bytes());
      undo.add(memory::close);
      SharedPages pages =
          SharedPages.create(open.kernel(), plan.name() + "-page", 2 * GuestLimits.PAGE_BYTES);
      undo.add(pages::close);
      int object = client.registerMemory(memory.all());
      undo.add(() -> open.free(object));
      space.map(object, plan.bytes(), plan.start().value());
      undo.add(() -> space.unmap(object, plan.bytes(), plan.start().value()));
      HardwareChannel channel =
          HardwareChannel.create(
              client,
              new HardwareChannel.ChannelPlan(
                  space.object(),
                  plan.engine(),
                  plan.start(),
                  HopperRing.ENTRIES,
                  pages.page(0),
                  pages.page(1)),
              false);
      new UserdWords(pages.page(0)).publish(channel.token());
      complete = true;
      return new OwnChannel(open, space, plan, memory, pages, object, channel);
    } finally {
      if (!complete) {
        undo.reversed().forEach(Runnable::run);
      }
    }
  }

  /** A token whose doorbell is ours: ringing it does nothing to anybody. */
  int token() {
    return channel.token();
  }

  /** All of its memory. */
  MemorySegment memory() {
    return memory.all();
  }

  HopperRing ring() {
    return ring;
  }

  /**
   * Waits for a submission, and all before.
   *
   * @param limitNs after which it counts as stuck
   */
  void await(long done, long limitNs) {
    if (!ring.await(done, open::timeNs, limitNs)) {
      throw RmRefusal.monitorStuck();
    }
  }

  /** Frees it; nothing is under way. */
  @Override
  public void close() {
    channel.destroy();
    space.unmap(object, plan.bytes(), plan.start().value());
    open.free(object);
    memory.close();
    pages.close();
  }
}

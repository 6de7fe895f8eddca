package io.sluice.testbed.conformance.spi;

import io.sluice.abi.GpuVa;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperRing;
import io.sluice.testbed.conformance.rig.MovablePages;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A queue of a Hopper GPU. */
final class HopperTestQueue implements TestQueue {
  private final MemorySegment memory;
  private final GpuVa base;
  private final HopperCommands commands = new HopperCommands();
  private @Nullable MovablePages pages;
  private @Nullable HopperRing ring;
  private boolean bound;

  HopperTestQueue(MemorySegment memory, GpuVa base) {
    this.memory = memory;
    this.base = base;
  }

  @Override
  public int order() {
    return HopperRing.ORDER;
  }

  @Override
  public int[] classes() {
    return new int[] {NvidiaRig.COPY_CLASS};
  }

  @Override
  public void attach(MemorySegment control, MemorySegment doorbell) {
    pages = new MovablePages(control, doorbell);
    ring = new HopperRing(memory, pages, base);
  }

  @Override
  public void moveTo(MemorySegment control, MemorySegment doorbell) {
    Objects.requireNonNull(pages).moveTo(control, doorbell);
    ring().announce();
  }

  private HopperRing ring() {
    return Objects.requireNonNull(ring);
  }

  @Override
  public TestQueue begin() {
    commands.clear();
    if (!bound) {
      bound = true;
      commands.bindCopy();
    }
    return this;
  }

  @Override
  public TestQueue copy(long from, long to, long bytes) {
    commands.copy(new GpuVa(from), new GpuVa(to), bytes);
    return this;
  }

  @Override
  public TestQueue store(GpuVa at, int word) {
    commands.store(at, word);
    return this;
  }

  @Override
  public TestQueue acquire(GpuVa at, int word) {
    commands.acquire(at, word);
    return this;
  }

  @Override
  public TestQueue interrupt() {
    commands.interrupt();
    return this;
  }

  @Override
  public long submit() {
    return ring().submitWithRelease(commands);
  }

  @Override
  public boolean isDone(long submission) {
    return ring().hasReleased(submission);
  }
}

package io.sluice.channel.nvidia.channel;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.channel.nvidia.memory.NvidiaAddressSpace;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmSpace;
import io.sluice.channel.nvidia.rm.SharedPages;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * A few pages of ours that stand in a guest's address space while a channel of it is drained or
 * seeded, and not longer: pushbuffers and the semaphores that they release. They lie where guests
 * can map nothing.
 */
public final class ScratchPages implements AutoCloseable {
  private static final long BASE = NvidiaAddressSpace.OURS;
  private static final long PUSHBUFFERS = GuestLimits.PAGE_BYTES;
  private static final VarHandle U64 = Layouts.U64.varHandle();

  /** Room for a set-up segment and a release behind it, and poison beside it. */
  private static final long BYTES = PUSHBUFFERS + 16 * GuestLimits.PAGE_BYTES;

  private static final long POISON = PUSHBUFFERS + 12 * GuestLimits.PAGE_BYTES;
  private static final long POISON_BYTES = 256;

  /** Poisons that there is room for. */
  static final int MAX_POISONS = 64;

  private final RmOpen open;
  private final RmSpace space;
  private final SharedPages pages;
  private final int object;
  private final long address;

  private ScratchPages(RmOpen open, RmSpace space, SharedPages pages, int object, long address) {
    this.open = open;
    this.space = space;
    this.pages = pages;
    this.object = object;
    this.address = address;
  }

  /** Maps pages for a channel; every channel has a place of its own. */
  static ScratchPages map(RmOpen open, RmSpace space, int channelId) {
    SharedPages pages = SharedPages.create(open.kernel(), "sluice-scratch", BYTES);
    int object = 0;
    boolean complete = false;
    try {
      object = open.client().registerMemory(pages.all());
      long address = BASE + channelId * 2 * BYTES;
      space.map(object, BYTES, address);
      complete = true;
      return new ScratchPages(open, space, pages, object, address);
    } finally {
      if (!complete) {
        if (object != 0) {
          open.free(object);
        }
        pages.close();
      }
    }
  }

  /**
   * A pushbuffer that releases a semaphore once all before it has finished, and interrupts.
   *
   * @param index of the semaphore, 0 to {@link #MAX_POISONS} - 1
   * @return its ring entry
   */
  long poison(int index) {
    HopperCommands commands = new HopperCommands().release(semaphore(index), 1).interrupt();
    long at = POISON + index * POISON_BYTES;
    commands.storeTo(pages.all(), at);
    return HopperMethods.entry(address + at, commands.count());
  }

  /**
   * A pushbuffer of words, and a release of the first semaphore behind them.
   *
   * @return its ring entry
   */
  long setUp(int[] words) {
    U64.setRelease(pages.all(), 0L, 0L);
    MemorySegment.copy(words, 0, pages.all(), Layouts.U32, PUSHBUFFERS, words.length);
    HopperCommands release = new HopperCommands().release(semaphore(0), 1);
    release.storeTo(pages.all(), PUSHBUFFERS + words.length * 4L);
    return HopperMethods.entry(address + PUSHBUFFERS, words.length + release.count());
  }

  boolean isReleased(int index) {
    return (long) U64.getAcquire(pages.all(), index * 16L) == 1;
  }

  private GpuVa semaphore(int index) {
    return new GpuVa(address + index * 16L);
  }

  @Override
  public void close() {
    space.unmap(object, BYTES, address);
    open.free(object);
    pages.close();
  }
}

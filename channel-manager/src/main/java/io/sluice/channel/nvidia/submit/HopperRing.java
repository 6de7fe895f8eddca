package io.sluice.channel.nvidia.submit;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.UsermodePage;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.LongSupplier;

/**
 * The submitting side of a channel, by the means that a guest has: mapped memory, its control page
 * and the doorbell; nobody is called.
 *
 * <p>The memory is one buffer at one address: ring, then a semaphore, then pushbuffers, one per
 * ring entry, so that an entry's pushbuffer is free when its entry is. Submitting allocates
 * nothing. Not for several threads.
 *
 * <p>While the page's token is 0 the host is replacing the page or the channel behind it: nothing
 * is written into the ring then. A token that changed around a store of GP_PUT or a load of GP_GET
 * makes it void.
 */
public final class HopperRing {
  /** Exponent of the number of ring entries. */
  public static final int ORDER = 8;

  /** Ring entries. */
  public static final int ENTRIES = 1 << ORDER;

  private static final long SEMAPHORE = ENTRIES * 8L;
  private static final long PUSHBUFFERS = 4096;
  private static final long PUSHBUFFER_BYTES = HopperCommands.MAX_WORDS * 4L;

  /** Bytes of the memory. */
  public static final long SIZE_BYTES = PUSHBUFFERS + ENTRIES * PUSHBUFFER_BYTES;

  private static final VarHandle U32 = Layouts.U32.varHandle();
  private static final VarHandle U64 = Layouts.U64.varHandle();

  private final MemorySegment memory;
  private final ChannelPages pages;
  private final GpuVa base;
  private int put;
  private long released;

  /** The pages behind which a channel is; others from one call to the next when it has moved. */
  public interface ChannelPages {
    /** The words of its control page. */
    UserdWords control();

    /** The page whose store tells the GPU that GP_PUT has changed. */
    MemorySegment doorbell();

    /** Called again and again while the host holds the channel; may throw to give up. */
    default void withdrawn() {
      Thread.onSpinWait();
    }
  }

  private record FixedPages(UserdWords control, MemorySegment doorbell) implements ChannelPages {}

  /**
   * @param memory the buffer, zeros
   * @param control the channel's control page
   * @param doorbell the doorbell page
   * @param base the buffer's address in the channel's address space
   */
  public HopperRing(
      MemorySegment memory, MemorySegment control, MemorySegment doorbell, GpuVa base) {
    this(memory, new FixedPages(new UserdWords(control), doorbell), base);
  }

  /**
   * @param memory the buffer, zeros
   * @param pages asked before each use
   * @param base the buffer's address in the channel's address space
   */
  public HopperRing(MemorySegment memory, ChannelPages pages, GpuVa base) {
    this.memory = memory.asSlice(0, SIZE_BYTES);
    this.pages = pages;
    this.base = base;
  }

  /** Index of the next entry that will be put. */
  public int put() {
    return put;
  }

  /**
   * Goes on with memory that another one has used, in place of beginning with zeros.
   *
   * @param nextPut its {@link #put}
   * @param lastReleased what its last submission releases
   */
  public void goOn(int nextPut, long lastReleased) {
    put = nextPut;
    released = lastReleased;
  }

  /** Whether the ring has no room; entries become free as they are fetched. */
  public boolean isFull() {
    while (true) {
      int token = token();
      UserdWords userd = pages.control();
      int get = userd.get();
      VarHandle.fullFence();
      if (token == userd.token()) {
        return ((put + 1) & (ENTRIES - 1)) == get;
      }
    }
  }

  private int token() {
    int token = pages.control().token();
    while (token == 0) {
      pages.withdrawn();
      token = pages.control().token();
    }
    return token;
  }

  /**
   * Submits a pushbuffer.
   *
   * @throws IllegalStateException the ring {@link #isFull}
   */
  public void submit(HopperCommands commands) {
    if (isFull()) {
      throw new IllegalStateException("the ring is full, entries=" + ENTRIES);
    }
    long pushbuffer = PUSHBUFFERS + put * PUSHBUFFER_BYTES;
    commands.storeTo(memory, pushbuffer);
    long entry = HopperMethods.entry(base.value() + pushbuffer, commands.count());
    U64.setRelease(memory, put * 8L, entry);
    put = (put + 1) & (ENTRIES - 1);
    announce();
  }

  /**
   * Stores GP_PUT and rings, until it is certain that the channel that counts has been told; again,
   * when the channel has got other pages since.
   */
  public void announce() {
    int token;
    UserdWords userd;
    do {
      token = token();
      userd = pages.control();
      MemorySegment doorbell = pages.doorbell();
      VarHandle.fullFence();
      userd.put(put);
      VarHandle.fullFence();
      U32.setOpaque(doorbell, UsermodePage.DOORBELL, token);
      VarHandle.fullFence();
    } while (token != userd.token());
  }

  /**
   * Adds a release of this queue's semaphore behind the commands and submits both.
   *
   * @return what {@link #await} wants
   */
  public long submitWithRelease(HopperCommands commands) {
    released++;
    submit(commands.release(new GpuVa(base.value() + SEMAPHORE), released));
    return released;
  }

  /** Whether a release, and with it all before, has happened. */
  public boolean hasReleased(long value) {
    return lastReleased() - value >= 0;
  }

  /** The newest release that has happened. */
  public long lastReleased() {
    return (long) U64.getAcquire(memory, SEMAPHORE);
  }

  /**
   * Spins until a release has happened.
   *
   * @param nanoTime a clock
   * @param timeoutNs how long at most
   * @return whether it has
   */
  public boolean await(long value, LongSupplier nanoTime, long timeoutNs) {
    long start = nanoTime.getAsLong();
    while (!hasReleased(value)) {
      if (nanoTime.getAsLong() - start > timeoutNs) {
        return hasReleased(value);
      }
      Thread.onSpinWait();
    }
    return true;
  }
}

package io.sluice.channel.nvidia.relay.ring;

import io.sluice.abi.Layouts;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Pages of ours, mapped in place of those in which a program's rings are: empty entries, over which
 * a new channel is led to where the former had come, the last of them with what sets it up.
 */
public final class LeadingRing implements AutoCloseable {
  /** At the end of the pages, of one channel after the other. */
  private static final long TAIL_BYTES = 64 << 10;

  private static final long SEMAPHORE = TAIL_BYTES - 16;
  private static final int DONE = 0x600d_0001;
  private static final int ATTEMPTS = 64;
  private static final long LIMIT_NS = 2_000_000_000L;
  private static final VarHandle WORD = Layouts.U32.varHandle();

  private final long base;
  private final Fd file;
  private final Mapping mapping;

  private LeadingRing(long base, Fd file, Mapping mapping) {
    this.base = base;
    this.file = file;
    this.mapping = mapping;
  }

  /**
   * Makes them.
   *
   * @param base address at which the GPU has them
   */
  public static LeadingRing make(Kernel kernel, long base, long bytes) {
    Fd file = kernel.memfdCreate("sluice-leading", bytes);
    try {
      return new LeadingRing(
          base, file, kernel.mmap(file, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE));
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** The pages. */
  public MemorySegment memory() {
    return mapping.segment();
  }

  /**
   * Leads a channel to an entry, its next.
   *
   * @param ring of the program, which stores GP_PUT there meanwhile
   * @param address of its ring
   * @param state what it is told
   * @param bell has the card look at the channel
   * @param clock nanoseconds
   * @return whether it is there, and has taken all that it was told
   */
  public boolean lead(
      ProgramRing ring, long address, int next, int[] state, Runnable bell, LongSupplier clock) {
    MemorySegment all = memory();
    long tail = all.byteSize() - TAIL_BYTES;
    long slots = address - base;
    if (tail < 0 || slots < 0 || slots + ring.entries() * 8L > tail) {
      return false; // no room for what it is told
    }
    int last = next - 1 & ring.entries() - 1;
    all.asSlice(slots, ring.entries() * 8L).fill((byte) 0);
    WORD.setRelease(all, tail + SEMAPHORE, 0);
    all.set(Layouts.U64, slots + last * 8L, setUp(all.asSlice(tail), base + tail, state));
    // The ring's end cannot be put at once from its beginning.
    return (next != 0 || run(ring, last, bell, clock))
        && run(ring, next, bell, clock)
        && waitFor(() -> (int) WORD.getAcquire(all, tail + SEMAPHORE) == DONE, clock);
  }

  /** The entry of a pushbuffer that tells it, and that releases a semaphore when all is done. */
  private static long setUp(MemorySegment to, long address, int[] state) {
    long semaphore = address + SEMAPHORE;
    int[] release = {
      HopperMethods.header(
          HopperMethods.SUBCHANNEL_HOST, HopperMethods.SEM_ADDR_LO, HopperMethods.SEM_WORDS),
      (int) semaphore,
      (int) (semaphore >>> Integer.SIZE),
      DONE,
      0,
      HopperMethods.SEM_RELEASE | HopperMethods.SEM_WAIT_FOR_IDLE
    };
    int count = 0;
    for (int[] words : new int[][] {state, release}) {
      for (int word : words) {
        to.setAtIndex(Layouts.U32, count++, word);
      }
    }
    return HopperMethods.entry(address, count);
  }

  /** Puts an entry, until the channel has stopped there and not where the program has put it. */
  private static boolean run(ProgramRing ring, int index, Runnable bell, LongSupplier clock) {
    if (ring.get() == index) { // said there for the program
      ring.get(index - 1 & ring.entries() - 1);
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      ring.put(index);
      VarHandle.fullFence();
      bell.run();
      if (!waitFor(() -> ring.get() == index || ring.put() != index, clock)) {
        return false;
      }
      if (ring.get() == index) {
        return true;
      }
    }
    return false;
  }

  private static boolean waitFor(BooleanSupplier condition, LongSupplier clock) {
    long since = clock.getAsLong();
    while (!condition.getAsBoolean()) {
      if (clock.getAsLong() - since > LIMIT_NS) {
        return condition.getAsBoolean();
      }
      Thread.onSpinWait();
    }
    return true;
  }

  @Override
  public void close() {
    mapping.close();
    file.close();
  }
}

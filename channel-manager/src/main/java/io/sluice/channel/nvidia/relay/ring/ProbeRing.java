package io.sluice.channel.nvidia.relay.ring;

import io.sluice.abi.Layouts;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The memory of a channel of ours that does nothing but wait until its engine is idle, and say so:
 * ring, semaphore and pushbuffer, which the GPU maps, USERD and error notifier.
 */
public final class ProbeRing implements AutoCloseable {
  /** Entries of the ring. */
  public static final int ENTRIES = 256;

  /** What the GPU maps, in bytes, from the beginning. */
  public static final long MAPPED_BYTES = 2 * Kernel.PAGE_BYTES;

  private static final long SEMAPHORE = ENTRIES * 8L;
  private static final long PUSHBUFFER = Kernel.PAGE_BYTES;
  private static final long USERD = MAPPED_BYTES;
  private static final long NOTIFIER = USERD + Kernel.PAGE_BYTES;
  private static final long BYTES = NOTIFIER + Kernel.PAGE_BYTES;
  private static final VarHandle WORD = Layouts.U32.varHandle();
  private static final VarHandle ENTRY = Layouts.U64.varHandle();

  private final Fd file;
  private final Mapping mapping;
  private int put;
  private int asked;

  private ProbeRing(Fd file, Mapping mapping) {
    this.file = file;
    this.mapping = mapping;
  }

  /** Makes it. */
  public static ProbeRing make(Kernel kernel) {
    Fd file = kernel.memfdCreate("sluice-probe", BYTES);
    try {
      return new ProbeRing(file, kernel.mmap(file, 0, BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE));
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** What the GPU maps. */
  public MemorySegment mapped() {
    return mapping.segment().asSlice(0, MAPPED_BYTES);
  }

  /** The page that begins with USERD. */
  public MemorySegment userd() {
    return mapping.segment().asSlice(USERD, Kernel.PAGE_BYTES);
  }

  /** The page that begins with the error notifier. */
  public MemorySegment notifier() {
    return mapping.segment().asSlice(NOTIFIER, Kernel.PAGE_BYTES);
  }

  /**
   * Puts the question whether the engine is idle; what was asked before has been answered. The card
   * is to be told.
   *
   * @param address at which the GPU has the memory
   * @param everywhere whether the engine has subcontexts, all of which are waited for
   */
  public void ask(long address, boolean everywhere) {
    asked++;
    MemorySegment all = mapping.segment();
    int count = 0;
    if (everywhere) {
      count = store(count, HopperMethods.WAIT_FOR_IDLE, HopperMethods.ALL_SUBCONTEXTS);
    }
    long semaphore = address + SEMAPHORE;
    count =
        store(
            count,
            HopperMethods.SEM_ADDR_LO,
            (int) semaphore,
            (int) (semaphore >>> Integer.SIZE),
            asked,
            0,
            HopperMethods.SEM_RELEASE | HopperMethods.SEM_WAIT_FOR_IDLE);
    ENTRY.setRelease(all, put * 8L, HopperMethods.entry(address + PUSHBUFFER, count));
    put = put + 1 & ENTRIES - 1;
    WORD.setRelease(all, USERD + GuestAbi.USERD_GP_PUT, put);
    VarHandle.fullFence();
  }

  /** Adds words for consecutive methods of the host: how many words there are then. */
  private int store(int at, int method, int... values) {
    MemorySegment to = mapping.segment().asSlice(PUSHBUFFER, Kernel.PAGE_BYTES);
    to.setAtIndex(
        Layouts.U32,
        at,
        HopperMethods.header(HopperMethods.SUBCHANNEL_HOST, method, values.length));
    for (int i = 0; i < values.length; i++) {
      to.setAtIndex(Layouts.U32, at + 1 + i, values[i]);
    }
    return at + 1 + values.length;
  }

  /** Whether the question is answered, and all before has ended. */
  public boolean isAnswered() {
    return (int) WORD.getAcquire(mapping.segment(), SEMAPHORE) == asked;
  }

  @Override
  public void close() {
    mapping.close();
    file.close();
  }
}

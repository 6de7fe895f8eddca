package io.sluice.gpu.sm.memory;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.math.AtomicMath;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.HeapBudget;
import io.sluice.gpu.sm.warp.Warp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Memory as the lanes of one worker's block see it: generic, shared, local and constant addresses.
 *
 * <p>A generic address inside the window of shared or local memory goes there, any other is global.
 *
 * <p>Local memory is part of the channel's own address space, where LOCAL_MEMORY says: each warp
 * that can be resident has a piece, in which the 32 lanes alternate word by word. The hardware's
 * exact interleave is not public; programs cannot see it. Of a lane's bytes the positive ones come
 * first, then the negative ones, which are addressed from 2^24 downwards.
 */
public final class LaneMemory {
  private static final int WORD_BYTES = 4;
  private static final int ROW_BYTES = Warp.LANES * WORD_BYTES;

  /** Sites that a worker has room for from the beginning: those of one part of a program. */
  private static final int OWN_SITES = 1 << 12;

  /** Bytes of the heap that a site takes. */
  private static final int SITE_HEAP_BYTES = 4;

  private final HeapBudget.WorkerShare heap;
  private final GlobalMemory global;
  private final BlockMemory shared;
  private final ConstantMemory constants;
  private final long sharedWindow;
  private final long localWindow;
  private final int localPositive;
  private final int localNegative;
  private final long localBase;
  private final long localPerWarp;

  /** Sites there is room for. */
  private int room = OWN_SITES;

  /**
   * @param grid the launch
   * @param translator the MMU
   * @param sites instructions that keep a window of their own
   * @param slot which part of local memory is this worker's: its first warp's number
   * @param heap what the worker takes its memory from
   */
  public LaneMemory(
      Grid grid, Translator translator, int sites, int slot, HeapBudget.WorkerShare heap) {
    this.heap = heap;
    global = new GlobalMemory(translator, grid, 0);
    growTo(sites);
    shared = new BlockMemory(grid.sharedBytes());
    constants = new ConstantMemory(grid.banks(), global, heap);
    sharedWindow = grid.sharedWindow();
    localWindow = grid.localWindow();
    localPositive = grid.local().positiveBytes();
    localNegative = grid.local().negativeBytes();
    localPerWarp = grid.local().warpBytes();
    localBase = grid.local().address() + slot * localPerWarp;
  }

  /** Makes room for more sites: those of code that was compiled since. */
  public void growTo(int most) {
    if (most > room) {
      heap.take((long) (most - room) * SITE_HEAP_BYTES);
      room = most;
    }
    global.growTo(most);
  }

  /** What the worker takes its memory from. */
  public HeapBudget.WorkerShare heap() {
    return heap;
  }

  /** Global memory alone. */
  public GlobalMemory global() {
    return global;
  }

  /** The window that a site used last. */
  public Window window(int site) {
    return global.site(site);
  }

  /** Four bytes of host memory. */
  public static int read32(MemorySegment segment, long offset) {
    return segment.get(GlobalMemory.LE32, offset);
  }

  /** Eight bytes of host memory. */
  public static long read64(MemorySegment segment, long offset) {
    return segment.get(GlobalMemory.LE64, offset);
  }

  /** Stores eight bytes to host memory. */
  public static void write64(MemorySegment segment, long offset, long value) {
    segment.set(GlobalMemory.LE64, offset, value);
  }

  /** Stores four bytes to host memory. */
  public static void write32(MemorySegment segment, long offset, int value) {
    segment.set(GlobalMemory.LE32, offset, value);
  }

  /** The block's shared memory. */
  public BlockMemory shared() {
    return shared;
  }

  /** The constant banks. */
  public ConstantMemory constants() {
    return constants;
  }

  /** Prepares for another block. */
  public void clear() {
    shared.clear();
  }

  /** Refuses an address that is not a multiple of the access size. */
  public static void align(long address, int bytes) {
    if ((address & bytes - 1) != 0) {
      throw new WarpFault(WarpError.UNALIGNED, address);
    }
  }

  /** Refuses an address in the windows of shared and local memory. */
  public void requireGlobal(long address) {
    if (isIn(sharedWindow, address) || isIn(localWindow, address)) {
      throw new WarpFault(WarpError.INVALID_ADDR_SPACE, address);
    }
  }

  private static boolean isIn(long window, long address) {
    return address >= window && address < window + Grid.WINDOW_BYTES;
  }

  // ---- generic addresses; the window of a site is tried first ----

  public int load8(int site, int thread, long address) {
    Window w = global.site(site);
    if (w.contains(address)) {
      return w.segment.get(ValueLayout.JAVA_BYTE, address + w.delta) & 0xff;
    }
    return find8(site, thread, address);
  }

  private int find8(int site, int thread, long address) {
    if (isIn(sharedWindow, address)) {
      return shared.load8((int) (address - sharedWindow));
    }
    if (isIn(localWindow, address)) {
      return loadLocal8(thread, (int) (address - localWindow));
    }
    return global.load8(site, address);
  }

  public int load16(int site, int thread, long address) {
    Window w = global.site(site);
    if ((address & 1) == 0 && w.contains(address)) {
      return w.segment.get(GlobalMemory.LE16, address + w.delta) & 0xffff;
    }
    return find16(site, thread, address);
  }

  private int find16(int site, int thread, long address) {
    align(address, 2);
    if (isIn(sharedWindow, address)) {
      return shared.load16((int) (address - sharedWindow));
    }
    if (isIn(localWindow, address)) {
      return loadLocal16(thread, (int) (address - localWindow));
    }
    return global.load16(site, address);
  }

  public int load32(int site, int thread, long address) {
    Window w = global.site(site);
    if ((address & 3) == 0 && w.contains(address)) {
      return w.segment.get(GlobalMemory.LE32, address + w.delta);
    }
    return find32(site, thread, address);
  }

  private int find32(int site, int thread, long address) {
    align(address, 4);
    if (isIn(sharedWindow, address)) {
      return shared.load32((int) (address - sharedWindow));
    }
    if (isIn(localWindow, address)) {
      return loadLocal32(thread, (int) (address - localWindow));
    }
    return global.load32(site, address);
  }

  public void store8(int site, int thread, long address, int value) {
    Window w = global.site(site);
    if (w.contains(address)) {
      w.segment.set(ValueLayout.JAVA_BYTE, address + w.delta, (byte) value);
    } else {
      find8(site, thread, address, value);
    }
  }

  private void find8(int site, int thread, long address, int value) {
    if (isIn(sharedWindow, address)) {
      shared.store8((int) (address - sharedWindow), value);
    } else if (isIn(localWindow, address)) {
      storeLocal8(thread, (int) (address - localWindow), value);
    } else {
      global.store8(site, address, value);
    }
  }

  public void store16(int site, int thread, long address, int value) {
    Window w = global.site(site);
    if ((address & 1) == 0 && w.contains(address)) {
      w.segment.set(GlobalMemory.LE16, address + w.delta, (short) value);
    } else {
      find16(site, thread, address, value);
    }
  }

  private void find16(int site, int thread, long address, int value) {
    align(address, 2);
    if (isIn(sharedWindow, address)) {
      shared.store16((int) (address - sharedWindow), value);
    } else if (isIn(localWindow, address)) {
      storeLocal16(thread, (int) (address - localWindow), value);
    } else {
      global.store16(site, address, value);
    }
  }

  public void store32(int site, int thread, long address, int value) {
    Window w = global.site(site);
    if ((address & 3) == 0 && w.contains(address)) {
      w.segment.set(GlobalMemory.LE32, address + w.delta, value);
    } else {
      find32(site, thread, address, value);
    }
  }

  private void find32(int site, int thread, long address, int value) {
    align(address, 4);
    if (isIn(sharedWindow, address)) {
      shared.store32((int) (address - sharedWindow), value);
    } else if (isIn(localWindow, address)) {
      storeLocal32(thread, (int) (address - localWindow), value);
    } else {
      global.store32(site, address, value);
    }
  }

  // ---- atomics: on global memory alone ----

  /**
   * Executes an atomic on four bytes.
   *
   * @param operand the value, or what is expected by a compare-and-swap
   * @param replacement what a compare-and-swap stores
   * @return what was there
   */
  public int atomic32(long word, long address, int operand, int replacement) {
    align(address, 4);
    requireGlobal(address);
    if (AtomicMath.isCompareAndSwap(word)) {
      return global.compareAndSwap32(address, operand, replacement);
    }
    int old = global.load32(GlobalMemory.NO_SITE, address);
    while (true) {
      int seen = global.compareAndSwap32(address, old, AtomicMath.reduce(word, old, operand));
      if (seen == old) {
        return old;
      }
      old = seen;
    }
  }

  /** The same on eight bytes. */
  public long atomic64(long word, long address, long operand, long replacement) {
    align(address, 8);
    requireGlobal(address);
    if (AtomicMath.isCompareAndSwap(word)) {
      return global.compareAndSwap64(address, operand, replacement);
    }
    long old = global.load64(GlobalMemory.NO_SITE, address);
    while (true) {
      long seen = global.compareAndSwap64(address, old, AtomicMath.reduce(word, old, operand));
      if (seen == old) {
        return old;
      }
      old = seen;
    }
  }

  // ---- local addresses ----

  public int loadLocal8(int thread, int address) {
    return global.load8(GlobalMemory.NO_SITE, local(thread, address, 1));
  }

  public int loadLocal16(int thread, int address) {
    return global.load16(GlobalMemory.NO_SITE, local(thread, address, 2));
  }

  public int loadLocal32(int thread, int address) {
    return global.load32(GlobalMemory.NO_SITE, local(thread, address, 4));
  }

  public void storeLocal8(int thread, int address, int value) {
    global.store8(GlobalMemory.NO_SITE, local(thread, address, 1), value);
  }

  public void storeLocal16(int thread, int address, int value) {
    global.store16(GlobalMemory.NO_SITE, local(thread, address, 2), value);
  }

  public void storeLocal32(int thread, int address, int value) {
    global.store32(GlobalMemory.NO_SITE, local(thread, address, 4), value);
  }

  /** Where bytes of a thread's local memory are. */
  private long local(int thread, int address, int bytes) {
    align(Integer.toUnsignedLong(address), bytes);
    int masked = address & (int) Grid.WINDOW_BYTES - 1;
    int fromTop = (int) Grid.WINDOW_BYTES - masked;
    int offset;
    if (masked <= localPositive - bytes) {
      offset = masked;
    } else if (fromTop <= localNegative && bytes <= fromTop) {
      offset = localPositive + localNegative - fromTop;
    } else {
      throw new WarpFault(WarpError.MEM_OUT_OF_BOUNDS, Integer.toUnsignedLong(address));
    }
    long inWarp =
        (long) (offset / WORD_BYTES) * ROW_BYTES
            + thread % Warp.LANES * WORD_BYTES
            + offset % WORD_BYTES;
    if (inWarp + bytes > localPerWarp) {
      throw new WarpFault(WarpError.MEM_OUT_OF_BOUNDS, Integer.toUnsignedLong(address));
    }
    return localBase + thread / Warp.LANES * localPerWarp + inWarp;
  }
}

package io.sluice.gpu.sm.memory;

import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.HeapBudget;
import java.util.Arrays;
import java.util.List;

/**
 * The constant banks of a grid. Like the hardware's constant cache it is not coherent: a page is
 * read when the program first uses it, and what the grid itself stores there does not show until it
 * is read again, which happens where the heap has no room for all pages that are used. What lies
 * behind a bank's end, or in a bank that is not bound, reads as zero: programs of nvcc load their
 * stack pointer from bank 1 whether or not somebody bound it, as Gdev does not for a program
 * without a stack.
 */
public final class ConstantMemory {
  private static final int PAGE_SHIFT = 12;
  private static final int WORD_BYTES = 4;

  /** Pages that a worker has room for from the beginning. */
  private static final int OWN_PAGES = 4;

  /** Bytes of the heap that a page takes. */
  private static final int PAGE_HEAP_BYTES = (1 << PAGE_SHIFT) + 16;

  private final List<Grid.Bank> banks;
  private final GlobalMemory global;
  private final HeapBudget.WorkerShare heap;

  /** Words by bank and page; a bank's pages are those of its address. */
  private final int[][][] pages;

  private int kept;
  private int room = OWN_PAGES;

  /**
   * @param heap what the memory for further pages is taken from
   */
  ConstantMemory(List<Grid.Bank> banks, GlobalMemory global, HeapBudget.WorkerShare heap) {
    this.banks = banks;
    this.global = global;
    this.heap = heap;
    this.pages = new int[banks.size()][][];
  }

  public int load8(int bank, int offset) {
    return load32(bank, offset & -WORD_BYTES, offset, 1) >>> 8 * (offset & 3) & 0xff;
  }

  public int load16(int bank, int offset) {
    return load32(bank, offset & -WORD_BYTES, offset, 2) >>> 8 * (offset & 2) & 0xffff;
  }

  /** Four bytes; the offset is a multiple of 4. */
  public int load32(int bank, int offset) {
    return load32(bank, offset, offset, WORD_BYTES);
  }

  /** Eight bytes; the offset is a multiple of 8. */
  public long load64(int bank, int offset) {
    return Integer.toUnsignedLong(load32(bank, offset))
        | (long) load32(bank, offset + WORD_BYTES) << 32;
  }

  private int load32(int bank, int word, int offset, int bytes) {
    if (bank >= banks.size() || offset < 0 || offset > banks.get(bank).bytes() - bytes) {
      return 0;
    }
    long address = banks.get(bank).address() + word;
    int inPage = (int) (address & GpuAddressSpace.PAGE_BYTES - 1);
    return page(bank, address - inPage)[inPage / WORD_BYTES];
  }

  private int[] page(int bank, long pageAddress) {
    Grid.Bank where = banks.get(bank);
    long first = where.address() >>> PAGE_SHIFT;
    int[][] known = pages[bank];
    if (known == null) {
      long last = where.address() + where.bytes() - 1 >>> PAGE_SHIFT;
      known = new int[(int) (last - first) + 1][];
      pages[bank] = known;
    }
    int index = (int) ((pageAddress >>> PAGE_SHIFT) - first);
    if (known[index] == null) {
      int[] words = global.loadPage(pageAddress);
      makeRoom();
      known[index] = words;
      kept++;
    }
    return known[index];
  }

  /** Has room for one more page, if need be by forgetting those that are kept. */
  private void makeRoom() {
    if (kept < room) {
      return;
    }
    if (heap.tryTake(PAGE_HEAP_BYTES)) {
      room++;
      return;
    }
    for (int[][] known : pages) {
      if (known != null) {
        Arrays.fill(known, null);
      }
    }
    kept = 0;
  }
}

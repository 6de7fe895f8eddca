package io.sluice.gpu.sm.memory;

import io.sluice.gpu.sm.warp.Grid;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Global memory as one worker of a grid accesses it: what the MMU found is remembered.
 *
 * <p>Every load and store instruction of a compiled program has a site, which holds the window it
 * used last; a program that walks a buffer finds it there. Behind the sites stands a table of
 * windows by page number. Stores have windows of their own, of one page each, because the MMU notes
 * which pages were written. Addresses have been checked for alignment when they get here. The
 * windows of shared and local memory are no part of it, whatever the address space maps there.
 */
public final class GlobalMemory {
  static final ValueLayout.OfShort LE16 =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt LE32 =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LE64 =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle ATOMIC32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
  private static final VarHandle ATOMIC64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();

  private static final int PAGE_SHIFT = 12;
  private static final int PAGE_WORDS = 1 << PAGE_SHIFT - 2;
  private static final int TABLE_WINDOWS = 256;

  /** The site of accesses that keep no window; no address is in its window. */
  public static final int NO_SITE = 0;

  private final Translator translator;
  private final long sharedWindow;
  private final long localWindow;
  private final @Nullable Window[] reads = new Window[TABLE_WINDOWS];
  private final @Nullable Window[] writes = new Window[TABLE_WINDOWS];
  private Window[] sites;

  /**
   * @param translator the MMU
   * @param grid whose windows are left out
   * @param sites instructions that keep a window of their own
   */
  public GlobalMemory(Translator translator, Grid grid, int sites) {
    this.translator = translator;
    this.sharedWindow = grid.sharedWindow();
    this.localWindow = grid.localWindow();
    this.sites = new Window[0];
    growTo(sites);
  }

  /** Forgets all translations: the address space may have changed. */
  public void forget() {
    forget(reads);
    forget(writes);
  }

  private static void forget(@Nullable Window[] windows) {
    for (Window window : windows) {
      if (window != null) {
        window.clear();
      }
    }
  }

  public int load8(int site, long address) {
    Window w = reading(site, address);
    return w.segment.get(ValueLayout.JAVA_BYTE, address + w.delta) & 0xff;
  }

  public int load16(int site, long address) {
    Window w = reading(site, address);
    return w.segment.get(LE16, address + w.delta) & 0xffff;
  }

  public int load32(int site, long address) {
    Window w = reading(site, address);
    return w.segment.get(LE32, address + w.delta);
  }

  public long load64(int site, long address) {
    Window w = reading(site, address);
    return w.segment.get(LE64, address + w.delta);
  }

  /** The words of a page; a window is a number of pages. */
  int[] loadPage(long address) {
    Window w = reading(NO_SITE, address);
    int[] words = new int[PAGE_WORDS];
    MemorySegment.copy(w.segment, LE32, address + w.delta, words, 0, PAGE_WORDS);
    return words;
  }

  public void store8(int site, long address, int value) {
    Window w = writing(site, address);
    w.segment.set(ValueLayout.JAVA_BYTE, address + w.delta, (byte) value);
  }

  public void store16(int site, long address, int value) {
    Window w = writing(site, address);
    w.segment.set(LE16, address + w.delta, (short) value);
  }

  public void store32(int site, long address, int value) {
    Window w = writing(site, address);
    w.segment.set(LE32, address + w.delta, value);
  }

  /** Compares and swaps four bytes; gives what was there. */
  int compareAndSwap32(long address, int expected, int value) {
    Window w = writing(NO_SITE, address);
    MemorySegment segment = w.segment;
    return (int) ATOMIC32.compareAndExchange(segment, address + w.delta, expected, value);
  }

  /** Compares and swaps eight bytes; gives what was there. */
  long compareAndSwap64(long address, long expected, long value) {
    Window w = writing(NO_SITE, address);
    MemorySegment segment = w.segment;
    return (long) ATOMIC64.compareAndExchange(segment, address + w.delta, expected, value);
  }

  /** Makes room for more sites: those of code that was compiled since. */
  void growTo(int most) {
    int known = sites.length;
    if (most >= known) {
      sites = Arrays.copyOf(sites, most + 1);
      Arrays.fill(sites, known, sites.length, new Window());
    }
  }

  /** The window a site used last. */
  Window site(int site) {
    return sites[site];
  }

  private Window reading(int site, long address) {
    Window w = sites[site];
    return w.contains(address) ? w : find(site, reads, false, address);
  }

  private Window writing(int site, long address) {
    Window w = sites[site];
    return w.contains(address) ? w : find(site, writes, true, address);
  }

  private Window find(int site, @Nullable Window[] table, boolean write, long address) {
    int page = (int) (address >>> PAGE_SHIFT);
    int place = (page ^ page >>> 8) & TABLE_WINDOWS - 1;
    Window w = table[place];
    if (w == null) {
      w = new Window();
      table[place] = w;
    }
    if (!w.contains(address)) {
      w.clear();
      translator.translate(address, write, w);
      w.exclude(sharedWindow, Grid.WINDOW_BYTES, address);
      w.exclude(localWindow, Grid.WINDOW_BYTES, address);
    }
    if (site != NO_SITE) {
      sites[site] = w;
    }
    return w;
  }
}

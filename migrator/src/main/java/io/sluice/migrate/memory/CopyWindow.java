package io.sluice.migrate.memory;

import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Capability;
import io.sluice.channel.guest.GuestMove;
import io.sluice.channel.guest.MemoryWindow;
import io.sluice.channel.record.MemoryRecord;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.Set;

/**
 * Video memory of a GPU that shows none to a processor, looked at through a window of host memory:
 * the GPU copies there what is to be sent, and computes the fingerprints by which it is found out
 * what has changed. One thread uses it.
 */
final class CopyWindow implements PageView, AutoCloseable {
  /** Pages that the window shows at one time. */
  static final int WINDOW_PAGES = 4096;

  /**
   * Pages of which the GPU computes the fingerprints at one time: asking takes about as long as
   * computing those of 256 MiB.
   */
  private static final int PRINTED_PAGES = 1 << 16;

  /** More ranges than this are not copied each on its own: that would take longer than all. */
  private static final int MAX_RANGES = 32;

  /** Unchanged pages between two changed ones that are copied with them. */
  private static final int GAP_PAGES = 16;

  /** Windows of the first pass that are compared for practice. */
  private static final int WARM_UPS = 16;

  private static final long PRINTS = (long) WINDOW_PAGES * Fingerprint.PAGE_BYTES;
  private static final int PRINT_BYTES = 2 * Long.BYTES;

  private final GuestMove move;
  private final PageMap pages;
  private final PageMap.Comparison comparison;
  private final boolean fingerprints;
  private final MemoryWindow window;
  private final BitSet changed = new BitSet(WINDOW_PAGES);
  private final BitSet others = new BitSet(PRINTED_PAGES);
  private int warmUps;

  // What the window shows; nothing at first.
  private long serial = -1;
  private long first;
  private int count;

  // Of which pages it is known whether they have other fingerprints; of none at first.
  private long printedSerial = -1;
  private long firstPrinted;
  private int printed;

  /**
   * @param pages what was sent of them
   * @param comparison counts what is compared
   * @param hashing whether pages are compared at all
   */
  CopyWindow(
      GuestMove move,
      Kernel kernel,
      Set<Capability> capabilities,
      PageMap pages,
      PageMap.Comparison comparison,
      boolean hashing) {
    this.move = move;
    this.pages = pages;
    this.comparison = comparison;
    fingerprints = hashing && capabilities.contains(Capability.PAGE_FINGERPRINTS);
    window = move.openWindow(PRINTS + (long) PRINTED_PAGES * PRINT_BYTES, kernel);
  }

  /** A new pass: what the window shows, and what was compared, is old. */
  void forget() {
    serial = -1;
    printedSerial = -1;
  }

  @Override
  public boolean show(MemoryRecord record, long page, int base) {
    if (record.serial() == serial && page >= first && page < first + count) {
      return true;
    }
    serial = -1;
    long all = record.sizeBytes() / Fingerprint.PAGE_BYTES;
    first = page;
    count = (int) Math.min(WINDOW_PAGES, all - page);
    int from = base + (int) first;
    boolean there =
        fingerprints && pages.areSent(from, count) ? compare(record, from) : copyAll(record, from);
    if (there) {
      serial = record.serial();
    }
    return there;
  }

  /**
   * All of it comes, and is compared here. What the GPU needs for fingerprints is made now, and the
   * code that compares them runs for the first times, and not when the guest stands still.
   */
  private boolean copyAll(MemoryRecord record, int from) {
    changed.clear();
    if (fingerprints && warmUps < WARM_UPS) {
      warmUps++;
      boolean _ = print(record, from, count, pages::differs);
      printedSerial = -1;
    }
    if (!copy(record, 0, count)) {
      return false;
    }
    for (int i = 0; i < count; i++) {
      changed.set(
          i, comparison.hasChanged(from + i, window.bytes(), (long) i * Fingerprint.PAGE_BYTES));
    }
    return true;
  }

  /** What the GPU says has changed comes. It may change again before: that is found next time. */
  private boolean compare(MemoryRecord record, int from) {
    long ahead = first - firstPrinted;
    if (record.serial() != printedSerial || ahead < 0 || ahead + count > printed) {
      long all = record.sizeBytes() / Fingerprint.PAGE_BYTES;
      int many = (int) Math.min(PRINTED_PAGES, all - first);
      if (!print(record, from, pages.areSent(from, many) ? many : count, comparison::isOther)) {
        return false;
      }
      ahead = 0;
    }
    changed.clear();
    changed.or(others.get((int) ahead, (int) ahead + count));
    return copyChanged(record);
  }

  /** Finds which pages, from the first of the window on, have other fingerprints than were sent. */
  private boolean print(MemoryRecord record, int from, int many, PageComparison check) {
    printedSerial = -1;
    if (!move.fingerprint(record.serial(), first, many, pages.key(), window, PRINTS)) {
      return false;
    }
    MemorySegment prints = window.bytes();
    for (int i = 0; i < many; i++) {
      long at = PRINTS + (long) i * PRINT_BYTES;
      long low = prints.get(ValueLayout.JAVA_LONG, at);
      long high = prints.get(ValueLayout.JAVA_LONG, at + Long.BYTES);
      others.set(i, check.isOther(from + i, low, high));
    }
    printedSerial = record.serial();
    firstPrinted = first;
    printed = many;
    return true;
  }

  /** A comparison of a page's fingerprint with another. */
  private interface PageComparison {
    boolean isOther(int page, long low, long high);
  }

  private boolean copyChanged(MemoryRecord record) {
    int ranges = 0;
    for (int i = changed.nextSetBit(0); i >= 0; i = changed.nextSetBit(end(i))) {
      ranges++;
    }
    if (ranges > MAX_RANGES) {
      int start = changed.nextSetBit(0);
      return copy(record, start, changed.length() - start);
    }
    for (int i = changed.nextSetBit(0); i >= 0; i = changed.nextSetBit(end(i))) {
      if (!copy(record, i, end(i) - i)) {
        return false;
      }
    }
    return true;
  }

  /** Behind the last changed page of those that are copied together. */
  private int end(int start) {
    int end = changed.nextClearBit(start);
    int next = changed.nextSetBit(end);
    while (next >= 0 && next - end <= GAP_PAGES) {
      end = changed.nextClearBit(next);
      next = changed.nextSetBit(end);
    }
    return end;
  }

  private boolean copy(MemoryRecord record, int start, int some) {
    return move.read(
        record.serial(),
        (first + start) * Fingerprint.PAGE_BYTES,
        window,
        (long) start * Fingerprint.PAGE_BYTES,
        (long) some * Fingerprint.PAGE_BYTES);
  }

  @Override
  public boolean hasChanged(long page) {
    return changed.get((int) (page - first));
  }

  @Override
  public MemorySegment bytes() {
    return window.bytes();
  }

  @Override
  public long at(long page) {
    return (page - first) * Fingerprint.PAGE_BYTES;
  }

  @Override
  public boolean isWhole() {
    return false;
  }

  @Override
  public void close() {
    window.close();
  }
}

package io.sluice.vdevice.dma;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.guest.GuestMove;
import io.sluice.channel.guest.GuestMove.BusRange;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.protocol.Limits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The log of the pages of shared memory that the GPU wrote since the client asked for it
 * (DMA_LOGGING_*): what the GPU itself knows, collected before each call that could take it away,
 * and when the client asks. Exact; nobody but the GPU writes shared memory.
 *
 * <p>The client's thread starts, stops and reports, the call thread collects.
 */
public final class DmaLog {
  /** A range to be logged, by its first and last byte. */
  public record LoggedRange(long first, long last) {
    long firstPage() {
      return first >>> PAGE_SHIFT;
    }

    long lastPage() {
      return last >>> PAGE_SHIFT;
    }
  }

  private static final int PAGE_SHIFT = 12;
  private static final long PAGE = Limits.PAGE_BYTES;

  private final GuestMove move;
  private final ReentrantLock lock = new ReentrantLock();
  private final MemorySegment bitmap =
      MemorySegment.ofArray(new byte[GpuMemory.MAX_DIRTY_PAGES / Byte.SIZE]);

  /** What is logged; null while nothing is. Written under the lock. */
  private volatile @Nullable LoggedRanges ranges;

  @GuardedBy("lock")
  private final LoggedPages written;

  /**
   * @param heap of this process for the guest's tables
   */
  public DmaLog(GuestMove move, MemoryBudget heap) {
    this.move = move;
    written = new LoggedPages(heap);
  }

  /**
   * Begins: what was written before is forgotten.
   *
   * @param wanted none for everything
   * @throws RefusedException EINVAL when it has begun
   */
  public void start(List<LoggedRange> wanted) {
    lock.lock();
    try {
      if (ranges != null) {
        throw refused("the log has begun already");
      }
      ranges = new LoggedRanges(wanted);
      collect();
      written.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Ends; nothing when it had not begun. */
  public void stop() {
    lock.lock();
    try {
      ranges = null;
      written.clear();
    } finally {
      lock.unlock();
    }
  }

  /** Whether it has begun. */
  public boolean isOn() {
    return ranges != null; // who asks holds others' locks, and must not wait for this one
  }

  /** Before something that may make the GPU forget: collects what it knows. */
  public void beforeChange() {
    lock.lock();
    try {
      if (ranges != null) {
        collect();
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reports a range and forgets what it has reported.
   *
   * @param pageBytes of memory for each bit, a power of two
   * @param into receives the bits, lowest first; zeros before
   * @throws RefusedException EINVAL when it has not begun
   */
  public void report(long iova, long lengthBytes, long pageBytes, MemorySegment into) {
    lock.lock();
    try {
      if (ranges == null) {
        throw refused("the log has not begun");
      }
      collect();
      if (written.isAll()) {
        setBits(into, 0, Long.divideUnsigned(lengthBytes - 1, pageBytes));
        return;
      }
      long last = iova + lengthBytes - 1;
      long lastPage = last >>> PAGE_SHIFT;
      long page = written.next(iova >>> PAGE_SHIFT, lastPage);
      while (page >= 0) {
        long begin = page * PAGE;
        long end = begin + PAGE - 1;
        boolean beginsInside = Long.compareUnsigned(begin, iova) >= 0;
        boolean endsInside = Long.compareUnsigned(end, last) <= 0;
        long from = beginsInside ? begin - iova : 0;
        long to = endsInside ? end - iova : lengthBytes - 1;
        setBits(into, Long.divideUnsigned(from, pageBytes), Long.divideUnsigned(to, pageBytes));
        // A page that is only partly inside is told again, by the report of its other part.
        if (beginsInside && endsInside) {
          written.remove(page);
        }
        page = page == lastPage ? -1 : written.next(page + 1, lastPage);
      }
    } finally {
      lock.unlock();
    }
  }

  private static void setBits(MemorySegment into, long first, long last) {
    for (long bit = first; bit <= last; bit++) {
      byte was = into.get(ValueLayout.JAVA_BYTE, bit >>> 3);
      into.set(ValueLayout.JAVA_BYTE, bit >>> 3, (byte) (was | 1 << (bit & 7)));
    }
  }

  @GuardedBy("lock")
  private void collect() {
    LoggedRanges wanted = ranges;
    if (wanted == null) {
      return;
    }
    for (MemoryRecord record : move.buffers()) {
      if (record.registered()) {
        collect(record, wanted);
      }
    }
  }

  @GuardedBy("lock")
  private void collect(MemoryRecord record, LoggedRanges wanted) {
    LoggedPages into = written;
    long count = record.sizeBytes() / PAGE;
    for (long first = 0; first < count; first += GpuMemory.MAX_DIRTY_PAGES) {
      int some = (int) Math.min(GpuMemory.MAX_DIRTY_PAGES, count - first);
      MemorySegment bits = bitmap.asSlice(0, (some + 7L) / 8);
      if (!move.readDirty(record.serial(), first, some, true, bits)) {
        return; // gone meanwhile
      }
      BitSet found = BitSet.valueOf(bits.toArray(ValueLayout.JAVA_BYTE));
      for (int from = found.nextSetBit(0); from >= 0 && from < some; ) {
        int to = Math.min(found.nextClearBit(from), some);
        for (BusRange range :
            move.busRanges(record.serial(), (first + from) * PAGE, (to - from) * PAGE)) {
          long start = range.start().value();
          long last = start + range.bytes() - 1;
          wanted.within(start >>> PAGE_SHIFT, last >>> PAGE_SHIFT, into::addAll);
        }
        from = found.nextSetBit(to);
      }
    }
  }

  private static RefusedException refused(String what) {
    return new RefusedException(DeviceCode.DMA_LOG, Errno.EINVAL, what, "");
  }
}

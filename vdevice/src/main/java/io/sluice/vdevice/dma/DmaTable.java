package io.sluice.vdevice.dma;

import static io.sluice.vdevice.protocol.Limits.PAGE_BYTES;

import com.google.common.collect.ImmutableList;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.ErrorEntry;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.MemoryBudget;
import io.sluice.vdevice.protocol.Limits;
import io.sluice.vdevice.protocol.Request;
import io.sluice.vdevice.state.SessionRecord;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The guest memory a client has shared: what stands at which bus address (IOVA).
 *
 * <p>Maps do not overlap. One that came without a descriptor is recorded, because clients announce
 * everything their bus can reach, but nothing can be done with it.
 *
 * <p>Owned by one session. The connection's thread maps and unmaps, the call thread reads and
 * translates; {@link #exclusively} keeps a map from going away while a call uses what it found.
 */
public final class DmaTable implements AutoCloseable {
  /** The seam by which guest memory is made known to the GPU; the descriptor stays the caller's. */
  public interface RegionSource {
    RegisteredMemory addRegion(Iova iova, Fd fd, long offset, long sizeBytes, boolean writable);
  }

  /**
   * What a map counts of this process' heap: an upper bound of what is kept of it here, by the
   * guest's tables and by the software GPU, with references of eight bytes. DmaTableHeapTest
   * measures it.
   */
  static final long MAP_BYTES = 1536;

  private final Kernel kernel;
  private final MapBudget.GuestShare share;
  private final MemoryBudget heap;
  private final MapPace pace;
  private final @Nullable RegionSource regions;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final TreeMap<Long, Entry> maps = new TreeMap<>(Long::compareUnsigned);

  /** Changed under the lock; who counts reads it without. */
  private volatile int size;

  /**
   * @param share what the guest may have mapped
   * @param heap of this process for the guest's tables
   * @param pace at which the guest maps
   * @param regions null when the GPU cannot use guest memory: maps then serve reads only
   */
  public DmaTable(
      Kernel kernel,
      MapBudget.GuestShare share,
      MemoryBudget heap,
      MapPace pace,
      @Nullable RegionSource regions) {
    this.kernel = kernel;
    this.share = share;
    this.heap = heap;
    this.pace = pace;
    this.regions = regions;
  }

  /** One map. */
  private static final class Entry {
    final long iova;
    final long sizeBytes;
    final boolean writable;
    final long fileOffset;
    final long mappedBytes; // of addresses
    final @Nullable Fd fd; // owned
    final @Nullable RegisteredMemory region; // owned
    @Nullable Mapping mapping; // made by the first read; owned

    Entry(
        Request.DmaMap map, long mappedBytes, @Nullable Fd fd, @Nullable RegisteredMemory region) {
      iova = map.address().value();
      sizeBytes = map.sizeBytes();
      writable = map.writable();
      fileOffset = map.fileOffset();
      this.mappedBytes = mappedBytes;
      this.fd = fd;
      this.region = region;
    }

    long last() {
      return iova + sizeBytes - 1;
    }

    /** Takes the GPU's access away. */
    void revoke() {
      if (region != null) {
        region.close();
      }
    }

    /** Takes our access away. */
    void unmap() {
      if (mapping != null) {
        mapping.close();
      }
      if (fd != null) {
        fd.close();
      }
    }
  }

  /** Number of maps; waits for nobody. */
  public int size() {
    return size;
  }

  /**
   * Adds a map.
   *
   * @param fd what stands behind it, owned by this table if it succeeds; null when nothing does
   *     <p>The file is looked at before the lock is taken, which others wait for: the connection's
   *     thread alone changes the table.
   * @throws RefusedException EINVAL alignment, range or kind of file; EEXIST overlap; ENOSPC too
   *     many, no room left of all guests', or no heap for it; EDQUOT no room left of the guest's
   *     own
   */
  public void map(Request.DmaMap map, @Nullable Fd fd) {
    checkRange(map.address(), map.sizeBytes());
    if (fd != null && map.fileOffset() % PAGE_BYTES != 0) {
      throw refused(DmaCode.UNALIGNED_FILE, Errno.EINVAL, "file offset of a map is not on a page");
    }
    long mappedBytes = 0;
    if (fd != null) {
      pace.await();
      mappedBytes = SharedFileCheck.check(kernel, fd, map.fileOffset(), map.sizeBytes());
    }
    lock.lock();
    try {
      if (maps.size() >= Limits.MAX_DMA_MAPS) {
        throw refused(DmaCode.TOO_MANY, Errno.ENOSPC, "too many maps, limit=" + maps.size());
      }
      if (!overlapping(map.address().value(), map.sizeBytes()).isEmpty()) {
        throw refused(DmaCode.OVERLAP, Errno.EEXIST, "map overlaps another, iova=" + map.address());
      }
      add(map, mappedBytes, fd);
    } finally {
      lock.unlock();
    }
  }

  @GuardedBy("lock")
  private void add(Request.DmaMap map, long mappedBytes, @Nullable Fd fd) {
    if (!heap.take(MAP_BYTES)) {
      String use = ", bytes=" + heap.bytes() + ", limit=" + heap.limitBytes();
      throw refused(DmaCode.BUDGET, Errno.ENOSPC, "no more heap for this guest's tables" + use);
    }
    boolean complete = false;
    try {
      RegisteredMemory region = fd == null ? null : region(map, fd, mappedBytes);
      maps.put(map.address().value(), new Entry(map, mappedBytes, fd, region));
      size = maps.size();
      complete = true;
    } finally {
      if (!complete) {
        heap.giveBack(MAP_BYTES);
      }
    }
  }

  /** Room for a map, and the GPU's region of it, if it takes any. */
  private @Nullable RegisteredMemory region(Request.DmaMap map, Fd fd, long mappedBytes) {
    share.take(mappedBytes);
    boolean complete = false;
    try {
      RegisteredMemory region =
          regions == null
              ? null
              : regions.addRegion(
                  map.address(), fd, map.fileOffset(), map.sizeBytes(), map.writable());
      complete = true;
      return region;
    } finally {
      if (!complete) {
        share.give(mappedBytes);
      }
    }
  }

  /** Takes a map away, whatever the GPU says to it. */
  @GuardedBy("lock")
  private void release(Entry entry) {
    try {
      entry.revoke();
    } finally {
      forget(entry);
    }
  }

  @GuardedBy("lock")
  private void forget(Entry entry) {
    maps.remove(entry.iova);
    size = maps.size();
    heap.giveBack(MAP_BYTES);
    entry.unmap();
    if (entry.fd != null) {
      share.give(entry.mappedBytes);
    }
  }

  @GuardedBy("lock")
  private void endAll(boolean revoking) {
    RuntimeException failure = null;
    for (Entry entry : List.copyOf(maps.values())) {
      try {
        if (revoking) {
          release(entry);
        } else {
          forget(entry);
        }
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /**
   * Takes maps away; when it returns neither the GPU nor this process reaches the memory. Whole
   * maps inside the range go; that there is none is no error, because QEMU with a virtual IOMMU
   * unmaps whatever it might have mapped.
   *
   * @throws RefusedException EINVAL range, or a map that is only partly inside
   */
  public void unmap(Iova address, long sizeBytes) {
    checkRange(address, sizeBytes);
    lock.lock();
    try {
      List<Entry> found = overlapping(address.value(), sizeBytes);
      long last = address.value() + sizeBytes - 1;
      for (Entry entry : found) {
        if (Long.compareUnsigned(entry.iova, address.value()) < 0
            || Long.compareUnsigned(entry.last(), last) > 0) {
          throw refused(DmaCode.CUT, Errno.EINVAL, "unmap cuts a map, iova=" + address);
        }
      }
      found.forEach(this::release);
    } finally {
      lock.unlock();
    }
  }

  /** What there is, and the files behind it, which stay this table's. */
  public ImmutableList<SessionRecord.MapRecord> collect(List<Fd> into) {
    lock.lock();
    try {
      ImmutableList.Builder<SessionRecord.MapRecord> found = ImmutableList.builder();
      for (Entry entry : maps.values()) {
        found.add(
            new SessionRecord.MapRecord(
                entry.iova, entry.sizeBytes, entry.fileOffset, entry.writable, entry.fd != null));
        if (entry.fd != null) {
          into.add(entry.fd);
        }
      }
      return found.build();
    } finally {
      lock.unlock();
    }
  }

  /** Another daemon has the maps: forgets them without taking the GPU's access away. */
  public void abandon() {
    lock.lock();
    try {
      endAll(false);
    } finally {
      lock.unlock();
    }
  }

  /** Takes every map away. */
  public void unmapAll() {
    lock.lock();
    try {
      endAll(true);
    } finally {
      lock.unlock();
    }
  }

  /** Runs an action during which no map goes away. */
  public void exclusively(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Where guest memory is, as the GPU knows it. Call inside {@link #exclusively}.
   *
   * @param out receives one extent, or several when the range crosses maps
   * @throws RefusedException EFAULT
   */
  public void translate(Iova address, long sizeBytes, List<RegionExtent> out) {
    lock.lock();
    try {
      long at = address.value();
      long left = sizeBytes;
      while (left > 0) {
        Entry entry = entryAt(at);
        if (entry.region == null) {
          throw notShared(at);
        }
        long offset = at - entry.iova;
        long bytes = Math.min(left, entry.sizeBytes - offset);
        out.add(new RegionExtent(entry.region, offset, bytes));
        at += bytes;
        left -= bytes;
      }
    } finally {
      lock.unlock();
    }
  }

  /** The taker of a piece of the file behind a map; the descriptor stays the table's. */
  public interface PieceSink {
    void piece(Fd file, long offset, long sizeBytes);
  }

  /**
   * Where guest memory that may be written is in the files behind it. Call inside {@link
   * #exclusively}.
   *
   * @throws RefusedException EFAULT
   */
  public void locate(GuestRange range, PieceSink out) {
    lock.lock();
    try {
      long at = range.address().value();
      long left = range.bytes();
      while (left > 0) {
        Entry entry = entryAt(at);
        Fd file = entry.fd;
        if (file == null || !entry.writable) {
          throw notShared(at);
        }
        long offset = at - entry.iova;
        long bytes = Math.min(left, entry.sizeBytes - offset);
        out.piece(file, entry.fileOffset + offset, bytes);
        at += bytes;
        left -= bytes;
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies guest memory.
   *
   * @throws RefusedException EFAULT
   */
  public void read(Iova address, MemorySegment into) {
    lock.lock();
    try {
      long at = address.value();
      long done = 0;
      while (done < into.byteSize()) {
        Entry entry = entryAt(at);
        long offset = at - entry.iova;
        long bytes = Math.min(into.byteSize() - done, entry.sizeBytes - offset);
        MemorySegment.copy(mapped(entry).segment(), offset, into, done, bytes);
        at += bytes;
        done += bytes;
      }
    } catch (InternalError e) {
      // A page that cannot be had, such as one of an exhausted huge-page pool: the copy faults.
      throw refused(DmaCode.FAULT, Errno.EFAULT, "guest memory faults, iova=" + address);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Copies into guest memory.
   *
   * @throws RefusedException EFAULT
   */
  public void write(Iova address, MemorySegment from) {
    lock.lock();
    try {
      long at = address.value();
      long done = 0;
      while (done < from.byteSize()) {
        Entry entry = entryAt(at);
        Fd fd = entry.fd;
        if (fd == null || !entry.writable) {
          throw notShared(at);
        }
        long offset = at - entry.iova;
        long bytes = Math.min(from.byteSize() - done, entry.sizeBytes - offset);
        try (Mapping mapping =
            kernel.mmap(
                fd, entry.fileOffset, entry.sizeBytes, Kernel.PROT_READ | Kernel.PROT_WRITE)) {
          MemorySegment.copy(from, done, mapping.segment(), offset, bytes);
        }
        at += bytes;
        done += bytes;
      }
    } catch (InternalError e) {
      throw refused(DmaCode.FAULT, Errno.EFAULT, "guest memory faults, iova=" + address);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    unmapAll();
  }

  @GuardedBy("lock")
  private Entry entryAt(long iova) {
    Map.Entry<Long, Entry> found = maps.floorEntry(iova);
    if (found == null || Long.compareUnsigned(iova, found.getValue().last()) > 0) {
      throw notShared(iova);
    }
    return found.getValue();
  }

  private Mapping mapped(Entry entry) {
    Mapping mapping = entry.mapping;
    if (mapping == null) {
      Fd fd = entry.fd;
      if (fd == null) {
        throw notShared(entry.iova);
      }
      mapping = kernel.mmap(fd, entry.fileOffset, entry.sizeBytes, Kernel.PROT_READ);
      entry.mapping = mapping;
    }
    return mapping;
  }

  @GuardedBy("lock")
  private List<Entry> overlapping(long iova, long sizeBytes) {
    List<Entry> found = new ArrayList<>();
    Map.Entry<Long, Entry> before = maps.lowerEntry(iova);
    if (before != null && Long.compareUnsigned(before.getValue().last(), iova) >= 0) {
      found.add(before.getValue());
    }
    found.addAll(maps.subMap(iova, true, iova + sizeBytes - 1, true).values());
    return found;
  }

  /** Sizes are unsigned: a range may be half of the address space and end where that ends. */
  private static void checkRange(Iova address, long sizeBytes) {
    if (sizeBytes == 0 || address.value() % PAGE_BYTES != 0 || sizeBytes % PAGE_BYTES != 0) {
      throw refused(
          DmaCode.NOT_PAGES,
          Errno.EINVAL,
          "range is not of whole pages, iova="
              + address
              + ", size=0x"
              + Long.toHexString(sizeBytes));
    }
    if (Long.compareUnsigned(address.value() + sizeBytes - 1, address.value()) < 0) {
      throw refused(DmaCode.WRAPS, Errno.EINVAL, "range wraps around, iova=" + address);
    }
  }

  private static RefusedException notShared(long iova) {
    return new RefusedException(
        DmaCode.NOT_SHARED,
        Errno.EFAULT,
        "no shared guest memory at iova=0x" + Long.toHexString(iova),
        "Give the machine its memory with -object memory-backend-memfd,share=on.");
  }

  private static RefusedException refused(ErrorEntry code, Errno errno, String what) {
    return new RefusedException(code, errno, what, "");
  }
}

package io.sluice.remoting.session;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.remoting.state.StateException;
import io.sluice.remoting.state.StateItem;
import io.sluice.remoting.state.StateItem.FilePart;
import io.sluice.remoting.state.StateLink;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory that an application has registered with its session: files whose size is sealed, each
 * mapped whole, or pieces of a machine's memory. Segment 0 has the ring.
 *
 * <p>The link's thread adds, the session's thread reads. A segment stays as long as its session:
 * commands that use it may run until then.
 */
public final class SharedMemory implements AutoCloseable {
  /** Most segments. */
  public static final int MOST_SEGMENTS = 64;

  private static final int PLACE_BITS = 48;

  /** {@code f_type} of memory files; linux/magic.h. */
  private static final long TMPFS_MAGIC = 0x01021994;

  /**
   * The files that a segment is made of, for another host.
   *
   * @param files stay this object's, as long as it is open
   * @param parts of the files; none for a file that is the segment
   */
  public record BackingFiles(List<Fd> files, List<FilePart> parts) {
    /** Of memory that the other host is given by others. */
    public static final BackingFiles NONE = new BackingFiles(List.of(), List.of());
  }

  /** A file that several segments may be of. */
  private record Kept(Fd file, FileStatus status) {}

  private final Kernel kernel;
  private final long mostBytes;
  private final AtomicReferenceArray<@Nullable Mapping> segments =
      new AtomicReferenceArray<>(MOST_SEGMENTS);
  private final AtomicReferenceArray<@Nullable BackingFiles> backings =
      new AtomicReferenceArray<>(MOST_SEGMENTS);
  private final List<Kept> files = new ArrayList<>(); // by the thread that adds
  private final AtomicLong bytes = new AtomicLong();
  private final BitSet[] touched = new BitSet[MOST_SEGMENTS]; // pages; by the session's thread

  /**
   * @param mostBytes of all segments together
   */
  public SharedMemory(Kernel kernel, long mostBytes) {
    this.kernel = kernel;
    this.mostBytes = mostBytes;
  }

  /**
   * Maps a file as a segment.
   *
   * @param fd stays the caller's
   * @throws ProtocolException for a file that is not sealed or not as long as is said, an index
   *     that is taken, too many bytes
   */
  public void add(int index, Fd fd, long sizeBytes) {
    requireFree(index);
    requireRoom(sizeBytes);
    requireSealed(fd, sizeBytes);
    map(
        index,
        () -> new BackingFiles(List.of(kept(fd)), List.of()),
        () -> kernel.mmap(fd, 0, sizeBytes, Kernel.PROT_READ | Kernel.PROT_WRITE));
  }

  /** A descriptor of a file that is this object's; the same for the same file. */
  private Fd kept(Fd file) {
    try {
      FileStatus status = kernel.fstat(file);
      for (Kept each : files) {
        if (each.status().device() == status.device() && each.status().inode() == status.inode()) {
          return each.file();
        }
      }
      Fd own = kernel.dup(file);
      files.add(new Kept(own, status));
      return own;
    } catch (SyscallException failure) {
      throw new ProtocolException(
          Errno.EMFILE, "segment's file cannot be kept: " + failure.getMessage());
    }
  }

  /** What a segment that is there is made of. */
  public BackingFiles backing(int index) {
    BackingFiles backing = backings.get(index);
    if (backing == null) {
      throw new ProtocolException(Errno.EFAULT, "segment is not there, index=" + index);
    }
    return backing;
  }

  /** The bytes of a segment; 0 if it is not there. */
  public long segmentBytes(int index) {
    Mapping mapping = segments.get(index);
    return mapping == null ? 0 : mapping.sizeBytes();
  }

  private void requireFree(int index) {
    if (index < 0 || index >= MOST_SEGMENTS || segments.get(index) != null) {
      throw new ProtocolException(
          Errno.EINVAL, "segment is taken or beyond the last, index=" + index);
    }
  }

  private void requireRoom(long sizeBytes) {
    if (sizeBytes <= 0
        || sizeBytes % Kernel.PAGE_BYTES != 0
        || sizeBytes > mostBytes - bytes.get()) {
      throw new ProtocolException(
          Errno.ENOMEM,
          "segment has no whole pages or too many, bytes=" + sizeBytes + ", in use=" + bytes.get());
    }
  }

  private void map(int index, Supplier<BackingFiles> backing, Supplier<Mapping> how) {
    int before = files.size();
    try {
      backings.set(index, backing.get());
      Mapping mapping = how.get();
      segments.set(index, mapping);
      bytes.addAndGet(mapping.sizeBytes());
    } catch (SyscallException failure) {
      forget(index, before);
      throw new ProtocolException(
          Errno.ENOMEM, "segment cannot be mapped: " + failure.getMessage());
    } catch (ProtocolException refused) {
      forget(index, before);
      throw refused;
    }
  }

  /** A segment did not come about: files that it alone is of are not kept. */
  private void forget(int index, int filesBefore) {
    backings.set(index, null);
    while (files.size() > filesBefore) {
      files.removeLast().file().close();
    }
  }

  /**
   * Maps pieces of a machine's memory as a segment.
   *
   * @param pieces of files that cannot shrink; the files stay the caller's
   * @throws ProtocolException as {@link #add(int, Fd, long)}
   */
  public void add(int index, List<FilePiece> pieces) {
    requireFree(index);
    long sizeBytes = 0;
    for (FilePiece piece : pieces) {
      requireWithin(piece);
      sizeBytes += piece.bytes(); // each is no longer than a file, and there are few
    }
    requireRoom(sizeBytes);
    map(index, () -> backing(pieces), () -> kernel.mmapPieces(pieces));
  }

  /**
   * Adds a segment that comes from another host, with its files.
   *
   * @throws StateException when it cannot be had
   */
  public void add(StateLink link, StateItem.Segment segment) throws StateException {
    List<Fd> came = link.takeDescriptors(segment.files());
    try {
      if (segment.parts().isEmpty()) {
        add(segment.index(), came.getFirst(), segment.bytes());
      } else {
        add(
            segment.index(),
            segment.parts().stream()
                .map(part -> new FilePiece(came.get(part.file()), part.offset(), part.bytes()))
                .toList());
      }
    } catch (ProtocolException refused) {
      throw new StateException("a segment is refused: " + refused.getMessage());
    } finally {
      came.forEach(Fd::close);
    }
  }

  private BackingFiles backing(List<FilePiece> pieces) {
    List<Fd> own = new ArrayList<>();
    List<FilePart> parts = new ArrayList<>();
    for (FilePiece piece : pieces) {
      Fd file = kept(piece.file());
      if (!own.contains(file)) {
        own.add(file);
      }
      parts.add(new FilePart(own.indexOf(file), piece.offset(), piece.bytes()));
    }
    if (own.size() > FilePart.MOST_FILES || parts.size() > FilePart.MOST) {
      throw new ProtocolException(Errno.EINVAL, "segment is in too many files or pieces");
    }
    return new BackingFiles(List.copyOf(own), List.copyOf(parts));
  }

  private void requireWithin(FilePiece piece) {
    long sizeBytes;
    int seals;
    try {
      if (kernel.fileSystemType(piece.file()) != TMPFS_MAGIC) {
        throw new ProtocolException(Errno.EINVAL, "machine's memory is not of ordinary pages");
      }
      seals = kernel.getSeals(piece.file());
      sizeBytes = kernel.fstat(piece.file()).sizeBytes();
    } catch (SyscallException failure) {
      throw new ProtocolException(
          Errno.EINVAL, "machine's memory is no memory file: " + failure.getMessage());
    }
    if ((seals & Kernel.F_SEAL_SHRINK) == 0
        || piece.offset() < 0
        || piece.offset() % Kernel.PAGE_BYTES != 0
        || piece.bytes() <= 0
        || piece.bytes() % Kernel.PAGE_BYTES != 0
        || piece.bytes() > sizeBytes - piece.offset()) {
      throw new ProtocolException(
          Errno.EINVAL, "piece is not within a file that cannot shrink, seals=" + seals);
    }
  }

  private void requireSealed(Fd fd, long sizeBytes) {
    int seals;
    long size;
    long fileSystem;
    try {
      fileSystem = kernel.fileSystemType(fd);
      seals = kernel.getSeals(fd);
      size = kernel.fstat(fd).sizeBytes();
    } catch (SyscallException failure) {
      throw new ProtocolException(
          Errno.EINVAL, "segment is no memory file: " + failure.getMessage());
    }
    if (fileSystem != TMPFS_MAGIC) {
      // Huge pages may be missing when they are touched, which would end this process.
      throw new ProtocolException(
          Errno.EINVAL,
          "segment is no memory of ordinary pages, f_type=0x" + Long.toHexString(fileSystem));
    }
    int wanted = Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL;
    if ((seals & wanted) != wanted || size != sizeBytes) {
      throw new ProtocolException(
          Errno.EINVAL,
          "segment's size is not sealed or not as said, seals=" + seals + ", bytes=" + size);
    }
  }

  /** The memory of a segment that is there. */
  public MemorySegment segment(int index) {
    Mapping mapping = segments.get(index);
    if (mapping == null) {
      throw new ProtocolException(Errno.EFAULT, "segment is not there, index=" + index);
    }
    return mapping.segment();
  }

  /** The segment that a slice is of. */
  MemorySegment around(MemorySegment slice) {
    for (int index = 0; index < MOST_SEGMENTS; index++) {
      Mapping mapping = segments.get(index);
      if (mapping != null && mapping.segment().asOverlappingSlice(slice).isPresent()) {
        return mapping.segment();
      }
    }
    throw new ProtocolException(Errno.EFAULT, "range is in no segment");
  }

  /**
   * A piece of registered memory.
   *
   * @param place segment in the upper 16 bits, offset in the lower 48
   * @throws ProtocolException if it is not within one segment
   */
  public MemorySegment slice(long place, long size) {
    int index = (int) (place >>> PLACE_BITS);
    if (index >= MOST_SEGMENTS) {
      throw new ProtocolException(Errno.EFAULT, "segment is beyond the last, index=" + index);
    }
    MemorySegment segment = segment(index);
    long offset = place & ((1L << PLACE_BITS) - 1);
    try {
      return segment.asSlice(offset, size);
    } catch (IndexOutOfBoundsException _) {
      throw new ProtocolException(
          Errno.EFAULT,
          "range is outside its segment, segment="
              + index
              + ", offset="
              + offset
              + ", size="
              + Long.toUnsignedString(size));
    }
  }

  /**
   * As {@link #slice}, of a range that a call names: its pages count as touched. By the session's
   * thread.
   */
  public MemorySegment named(long place, long size) {
    MemorySegment slice = slice(place, size);
    touch((int) (place >>> PLACE_BITS), place & ((1L << PLACE_BITS) - 1), size);
    return slice;
  }

  private void touch(int index, long offset, long size) {
    BitSet pages = touched[index];
    if (pages == null) {
      pages = new BitSet();
      touched[index] = pages;
    }
    if (size > 0) {
      pages.set(
          (int) (offset / Kernel.PAGE_BYTES), (int) ((offset + size - 1) / Kernel.PAGE_BYTES) + 1);
    }
  }

  /**
   * The pages that this host may ever have written: of all ranges that calls have named, and of
   * segment 0 what is the host's. By the session's thread.
   *
   * @param most ranges; those that are close become one beyond that
   */
  public List<SegmentRange> touchedPages(int most) {
    touch(0, 0, RingLayout.RING);
    for (long gap = 1; ; gap *= 2) {
      List<SegmentRange> ranges = touchedWithin(gap);
      if (ranges.size() <= most) {
        return ranges;
      }
    }
  }

  /**
   * @param gap pages between two ranges that are one
   */
  private List<SegmentRange> touchedWithin(long gap) {
    List<SegmentRange> ranges = new ArrayList<>();
    for (int index = 0; index < MOST_SEGMENTS; index++) {
      BitSet pages = touched[index];
      int from = pages == null ? -1 : pages.nextSetBit(0);
      while (from >= 0) {
        int to = pages.nextClearBit(from);
        int next = pages.nextSetBit(to);
        while (next >= 0 && next - to < gap) {
          to = pages.nextClearBit(next);
          next = pages.nextSetBit(to);
        }
        ranges.add(
            new SegmentRange(index, from * Kernel.PAGE_BYTES, (to - from) * Kernel.PAGE_BYTES));
        from = next;
      }
    }
    return ranges;
  }

  /**
   * Pages of a segment.
   *
   * @param index of the segment
   */
  public record SegmentRange(int index, long offset, long bytes) {}

  /** Bytes registered. */
  public long bytes() {
    return bytes.get();
  }

  /** Unmaps all; only when nobody uses the memory any more, the library included. */
  @Override
  public void close() {
    for (int i = 0; i < MOST_SEGMENTS; i++) {
      Mapping mapping = segments.getAndSet(i, null);
      if (mapping != null) {
        mapping.close();
      }
    }
    files.forEach(kept -> kept.file().close());
    files.clear();
  }
}

package io.sluice.vdevice.pci;

import static io.sluice.abi.Layouts.WIRE_U32;
import static io.sluice.abi.Layouts.WIRE_U64;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A BAR that the client maps: part of a file, at the start of a region that may be larger. Behind
 * the file's part reads give ones and writes do nothing, as on a bus where nobody answers.
 *
 * <p>Accesses by message are served too, for clients that do not map. The daemon's own mapping is
 * made when the first of them comes; a whole aligned word is then accessed as one.
 */
public final class MappedBar implements DeviceRegion, AutoCloseable {
  private final Kernel kernel;
  private final Fd file;
  private final long fileOffset;
  private final long mappedBytes;
  private final long sizeBytes;
  private @Nullable Mapping mapping; // of the connection's thread

  /**
   * @param file stays the caller's
   * @param mappedBytes bytes that can be mapped, a multiple of the page size
   * @param sizeBytes size of the BAR, a power of two, not less than that
   */
  public MappedBar(Kernel kernel, Fd file, long fileOffset, long mappedBytes, long sizeBytes) {
    this.kernel = kernel;
    this.file = file;
    this.fileOffset = fileOffset;
    this.mappedBytes = mappedBytes;
    this.sizeBytes = sizeBytes;
  }

  /** The smallest power of two that is not less than a positive number. */
  public static long roundUpToPowerOfTwo(long bytes) {
    long highest = Long.highestOneBit(bytes);
    return highest == bytes ? bytes : highest << 1;
  }

  /** What the client maps; stays this BAR's. */
  public Fd file() {
    return file;
  }

  /** Where the BAR starts in the file. */
  public long fileOffset() {
    return fileOffset;
  }

  /** Bytes of the file at the start of the BAR. */
  public long mappedBytes() {
    return mappedBytes;
  }

  /** Whether only a part can be mapped. */
  public boolean isSparse() {
    return mappedBytes != sizeBytes;
  }

  @Override
  public long sizeBytes() {
    return sizeBytes;
  }

  @Override
  public void read(long offset, MemorySegment into, long at, int count) {
    MemorySegment bar = segment();
    if (offset % count == 0 && offset < mappedBytes && count == 4) {
      into.set(WIRE_U32, at, SharedWords.getAcquire(bar, offset));
    } else if (offset % count == 0 && offset < mappedBytes && count == 8) {
      into.set(WIRE_U64, at, SharedWords.getLongAcquire(bar, offset));
    } else {
      long backed = Math.clamp(mappedBytes - offset, 0, count);
      MemorySegment.copy(bar, Math.min(offset, mappedBytes), into, at, backed);
      into.asSlice(at + backed, count - backed).fill((byte) 0xff);
    }
  }

  @Override
  public void write(long offset, MemorySegment from, long at, int count) {
    MemorySegment bar = segment();
    if (offset % count == 0 && offset < mappedBytes && count == 4) {
      SharedWords.setRelease(bar, offset, from.get(WIRE_U32, at));
    } else if (offset % count == 0 && offset < mappedBytes && count == 8) {
      SharedWords.setLongRelease(bar, offset, from.get(WIRE_U64, at));
    } else {
      long backed = Math.clamp(mappedBytes - offset, 0, count);
      MemorySegment.copy(from, at, bar, Math.min(offset, mappedBytes), backed);
    }
  }

  private MemorySegment segment() {
    Mapping current = mapping;
    if (current == null) {
      int protection = Kernel.PROT_READ | Kernel.PROT_WRITE;
      current = kernel.mmap(file, fileOffset, mappedBytes, protection);
      mapping = current;
    }
    return current.segment();
  }

  @Override
  public void close() {
    if (mapping != null) {
      mapping.close();
    }
  }
}

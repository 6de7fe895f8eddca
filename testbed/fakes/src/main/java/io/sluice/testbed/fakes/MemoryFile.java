package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A memfd, or with seals switched off a file of another file system. All mappings are slices of one
 * piece of memory, made when it is first needed. A page counts as allocated while it holds a byte
 * that is not 0: the fake cannot see who touched it.
 */
final class MemoryFile extends OpenFile {
  static final long PAGE_BYTES = 4096;
  static final long HUGE_PAGE_BYTES = 2 << 20;
  static final long TMPFS_MAGIC = 0x01021994;
  static final long HUGETLBFS_MAGIC = 0x958458f6L;

  private static final int S_IFREG_0777 = 0x81ff;
  private static final int BLOCK_BYTES = 512;

  private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[(int) PAGE_BYTES]);

  private final long fileSystemType;
  private final boolean sealable;
  private long sizeBytes;
  private long position;
  private int seals;
  private @Nullable Arena arena;
  private @Nullable MemorySegment memory;

  MemoryFile(String name, long inode, long sizeBytes, long fileSystemType, boolean sealable) {
    super(name, inode);
    this.sizeBytes = sizeBytes;
    this.fileSystemType = fileSystemType;
    this.sealable = sealable;
  }

  private MemorySegment memory() {
    if (memory == null) {
      arena = Arena.ofShared();
      memory = arena.allocate(Math.max(1, sizeBytes), PAGE_BYTES);
    }
    return memory;
  }

  @Override
  void end() {
    if (arena != null) {
      arena.close();
    }
  }

  void addSeals(int added) {
    if (!sealable) {
      throw failure("fcntl", Errno.EINVAL);
    }
    if ((seals & Kernel.F_SEAL_SEAL) != 0) {
      throw failure("fcntl", Errno.EPERM);
    }
    seals |= added;
  }

  int seals() {
    if (!sealable) {
      throw failure("fcntl", Errno.EINVAL);
    }
    return seals;
  }

  void punchHole(long offset, long lengthBytes) {
    if (offset < 0 || lengthBytes <= 0) {
      throw failure("fallocate", Errno.EINVAL);
    }
    long from = Math.min(offset, sizeBytes);
    long to = Math.min(offset + lengthBytes, sizeBytes);
    memory().asSlice(from, to - from).fill((byte) 0);
  }

  /** Within the file only: the real kernel would lengthen one that is not sealed. */
  void write(MemorySegment from, long offset) {
    if (offset < 0) {
      throw failure("pwrite", Errno.EINVAL);
    }
    if (offset > sizeBytes - from.byteSize()) {
      throw failure("pwrite", Errno.EFBIG);
    }
    MemorySegment.copy(from, 0, memory(), offset, from.byteSize());
  }

  MemorySegment slice(long offset, long lengthBytes) {
    if (lengthBytes <= 0 || offset < 0 || offset % PAGE_BYTES != 0) {
      throw failure("mmap", Errno.EINVAL);
    }
    if (offset > sizeBytes - lengthBytes) {
      // The real kernel maps it and kills whoever touches the bytes that are not there.
      throw failure("mmap", Errno.ENXIO);
    }
    return memory().asSlice(offset, lengthBytes);
  }

  /** Shortens or lengthens the file, as another process that holds it may. */
  void truncate(long newSizeBytes) {
    boolean shrinks = newSizeBytes < sizeBytes;
    if ((seals & (shrinks ? Kernel.F_SEAL_SHRINK : Kernel.F_SEAL_GROW)) != 0) {
      throw failure("ftruncate", Errno.EPERM);
    }
    if (!shrinks && memory != null && newSizeBytes > memory.byteSize()) {
      throw failure("ftruncate", Errno.ENOMEM);
    }
    sizeBytes = newSizeBytes;
  }

  @Override
  int readiness() {
    return Kernel.POLLIN | Kernel.POLLOUT;
  }

  @Override
  FileStatus status() {
    return new FileStatus(1, inode, S_IFREG_0777, sizeBytes, allocatedBytes() / BLOCK_BYTES);
  }

  @Override
  long fileSystemType() {
    return fileSystemType;
  }

  @Override
  long pageBytes() {
    return fileSystemType == HUGETLBFS_MAGIC ? HUGE_PAGE_BYTES : PAGE_BYTES;
  }

  @Override
  long read(MemorySegment into) {
    long bytes = Math.min(into.byteSize(), Math.max(0, sizeBytes - position));
    MemorySegment.copy(memory(), position, into, 0, bytes);
    position += bytes;
    return bytes;
  }

  @Override
  long write(MemorySegment from) {
    if (from.byteSize() > sizeBytes - position) {
      throw failure("write", Errno.EFBIG);
    }
    MemorySegment.copy(from, 0, memory(), position, from.byteSize());
    position += from.byteSize();
    return from.byteSize();
  }

  private long allocatedBytes() {
    if (memory == null) {
      return 0;
    }
    long pages = 0;
    for (long page = 0; page < sizeBytes; page += PAGE_BYTES) {
      if (!isZero(memory, page, Math.min(page + PAGE_BYTES, sizeBytes))) {
        pages++;
      }
    }
    return pages * PAGE_BYTES;
  }

  private static boolean isZero(MemorySegment memory, long from, long to) {
    return MemorySegment.mismatch(memory, from, to, ZEROS, 0, to - from) == -1;
  }
}

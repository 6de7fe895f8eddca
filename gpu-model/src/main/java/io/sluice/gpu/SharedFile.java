package io.sluice.gpu;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A memory file of the GPU, mapped whole, whose descriptor is handed out: sealed, so that nobody
 * can change its length under us.
 */
final class SharedFile implements AutoCloseable {
  /** Most that is punched at once: whoever closes the file waits for no more. */
  static final long PIECE_BYTES = 4 << 20;

  private final Kernel kernel;
  private final Fd fd;
  private final Mapping mapping;

  /** Keeps the descriptor open while it is used, which is also done outside the GPU's lock. */
  private final ReadWriteLock closing = new ReentrantReadWriteLock();

  private SharedFile(Kernel kernel, Fd fd, Mapping mapping) {
    this.kernel = kernel;
    this.fd = fd;
    this.mapping = mapping;
  }

  static SharedFile create(Kernel kernel, String name, long sizeBytes) {
    Fd fd = kernel.memfdCreate(name, sizeBytes);
    try {
      kernel.addSeals(fd, Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL);
      Mapping mapping = kernel.mmap(fd, 0, sizeBytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
      return new SharedFile(kernel, fd, mapping);
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  /**
   * A file that another GPU made and gave away, with what is in it.
   *
   * @param fd owned by this from here on, also when it fails
   */
  static SharedFile adopt(Kernel kernel, Fd fd, long sizeBytes) {
    try {
      Mapping mapping = kernel.mmap(fd, 0, sizeBytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
      return new SharedFile(kernel, fd, mapping);
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  MemorySegment segment() {
    return mapping.segment();
  }

  /** A second descriptor, the caller's own. */
  Fd duplicate() {
    return kernel.dup(fd);
  }

  /**
   * Makes a range read as zeros and gives its memory back, unless the file is closed. It takes as
   * long as there is memory in the range, so nobody may hold the GPU's lock meanwhile.
   */
  void punch(long offset, long bytes) {
    long end = offset + bytes;
    for (long next = offset; next < end; next += PIECE_BYTES) {
      punchPiece(next, Math.min(PIECE_BYTES, end - next));
    }
  }

  private void punchPiece(long offset, long bytes) {
    closing.readLock().lock();
    try {
      if (fd.isOpen()) {
        kernel.punchHole(fd, offset, bytes);
      }
    } finally {
      closing.readLock().unlock();
    }
  }

  /** Memory the file really has; 0 once it is closed. */
  long allocatedBytes() {
    closing.readLock().lock();
    try {
      return fd.isOpen() ? kernel.fstat(fd).allocatedBytes() : 0;
    } finally {
      closing.readLock().unlock();
    }
  }

  @Override
  public void close() {
    mapping.close();
    closing.writeLock().lock();
    try {
      fd.close();
    } finally {
      closing.writeLock().unlock();
    }
  }
}

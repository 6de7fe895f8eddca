package io.sluice.gpu;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;

/**
 * A memory file of the GPU, mapped whole, whose descriptor is handed out: sealed, so that nobody
 * can change its length under us.
 */
final class SharedFile implements AutoCloseable {
  private final Kernel kernel;
  private final Fd fd;
  private final Mapping mapping;

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

  /** Makes a range read as zeros and gives its memory back. */
  void punch(long offset, long bytes) {
    kernel.punchHole(fd, offset, bytes);
  }

  /** Memory the file really has. */
  long allocatedBytes() {
    return kernel.fstat(fd).allocatedBytes();
  }

  @Override
  public void close() {
    mapping.close();
    fd.close();
  }
}

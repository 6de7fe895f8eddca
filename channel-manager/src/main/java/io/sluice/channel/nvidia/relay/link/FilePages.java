package io.sluice.channel.nvidia.relay.link;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;

/** Pages of a memory file. */
final class FilePages implements HostPages {
  private static final int SEALS = Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL;

  private final Fd file;
  private final Mapping mapping;
  private final Runnable released;

  private FilePages(Fd file, Mapping mapping, Runnable released) {
    this.file = file;
    this.mapping = mapping;
    this.released = released;
  }

  /**
   * New pages, zeros.
   *
   * @param released told when they are closed
   */
  static FilePages make(Kernel kernel, long bytes, Runnable released) {
    Fd file = kernel.memfdCreate("sluice-cuda", bytes);
    try {
      kernel.addSeals(file, SEALS);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
    return map(kernel, file, 0, bytes, released);
  }

  /** Pages of a file that is given, and is closed if this fails. */
  static FilePages map(Kernel kernel, Fd file, long offset, long bytes, Runnable released) {
    try {
      Mapping mapping = kernel.mmap(file, offset, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
      return new FilePages(file, mapping, released);
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  Fd file() {
    return file;
  }

  @Override
  public MemorySegment segment() {
    return mapping.segment();
  }

  @Override
  public boolean isOpen() {
    return file.isOpen();
  }

  @Override
  public void close() {
    mapping.close();
    file.close();
    released.run();
  }
}

package io.sluice.channel.nvidia.rm;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.state.GuestLimits;
import java.lang.foreign.MemorySegment;

/**
 * A file of pages that we and others map, none of whom can change its length.
 *
 * @param kernel for punching
 * @param fd the file
 * @param mapping all of it
 */
public record SharedPages(Kernel kernel, Fd fd, Mapping mapping) {
  private static final int SEALS = Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL;

  public static SharedPages create(Kernel kernel, String name, long bytes) {
    Fd fd = kernel.memfdCreate(name, bytes);
    try {
      kernel.addSeals(fd, SEALS);
      Mapping mapping = kernel.mmap(fd, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
      return new SharedPages(kernel, fd, mapping);
    } catch (RuntimeException e) {
      fd.close();
      throw e;
    }
  }

  /**
   * A file that another daemon has made for what {@link #create} makes one for.
   *
   * @param fd stays the caller's
   * @throws io.sluice.abi.RefusedException it is none
   */
  public static SharedPages adopt(Kernel kernel, Fd fd, long bytes) {
    boolean fits = kernel.fstat(fd).sizeBytes() == bytes && (kernel.getSeals(fd) & SEALS) == SEALS;
    if (!fits) {
      throw RmRefusal.noState("no file of control pages, bytes=" + kernel.fstat(fd).sizeBytes());
    }
    Fd own = kernel.dup(fd);
    try {
      Mapping mapping = kernel.mmap(own, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
      return new SharedPages(kernel, own, mapping);
    } catch (RuntimeException e) {
      own.close();
      throw e;
    }
  }

  public MemorySegment page(int index) {
    return mapping.segment().asSlice(index * GuestLimits.PAGE_BYTES, GuestLimits.PAGE_BYTES);
  }

  public MemorySegment all() {
    return mapping.segment();
  }

  /**
   * Puts a fresh page of zeros in place of one: everybody who maps the file sees the fresh one,
   * while a GPU that has the former pinned goes on with that.
   */
  public void replace(int index) {
    kernel.punchHole(fd, index * GuestLimits.PAGE_BYTES, GuestLimits.PAGE_BYTES);
  }

  public void close() {
    mapping.close();
    fd.close();
  }
}

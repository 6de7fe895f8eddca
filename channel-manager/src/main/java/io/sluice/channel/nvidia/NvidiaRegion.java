package io.sluice.channel.nvidia;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** A range of guest memory, mapped here so that RM can pin pages of it. */
final class NvidiaRegion implements MemoryRegion {
  private final NvidiaGuestGpu gpu;
  private final Mapping mapping;
  private final boolean writable;
  private boolean closed;

  private NvidiaRegion(NvidiaGuestGpu gpu, Mapping mapping, boolean writable) {
    this.gpu = gpu;
    this.mapping = mapping;
    this.writable = writable;
  }

  static NvidiaRegion map(
      NvidiaGuestGpu gpu, Fd fd, long offset, long sizeBytes, boolean writable) {
    int protection = writable ? Kernel.PROT_READ | Kernel.PROT_WRITE : Kernel.PROT_READ;
    Mapping mapping = gpu.kernel().mmap(fd, offset, sizeBytes, protection);
    return new NvidiaRegion(gpu, mapping, writable);
  }

  /** Pages of it; RM pins for writing, so that a region that is read only has none. */
  MemorySegment pages(long offset, long bytes) {
    if (!writable) {
      throw RmRefusal.invalid("the GPU cannot be given memory that is read only");
    }
    if (closed) {
      throw RmRefusal.notThere("the region is closed");
    }
    return mapping.segment().asSlice(offset, bytes);
  }

  @Override
  public long sizeBytes() {
    return mapping.sizeBytes();
  }

  @Override
  public void close() {
    gpu.run(() -> {
      if (!closed) {
        closed = true;
        gpu.revoke(this);
        mapping.close();
        gpu.forget(this);
      }
    });
  }
}

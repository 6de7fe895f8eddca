package io.sluice.channel.guest;

import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import io.sluice.channel.GuestGpu.SharedArea;
import io.sluice.channel.table.Closing;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * Host memory that both the GPU and this process see, through which the bytes of a guest's video
 * memory come and go where no aperture shows them. It is pinned once, and no part of the guest.
 */
public final class MemoryWindow implements AutoCloseable {
  private final GpuMemory memory;
  private final Mapping mapping;

  private MemoryWindow(GpuMemory memory, Mapping mapping) {
    this.memory = memory;
    this.mapping = mapping;
  }

  static MemoryWindow open(GuestGpu backend, long bytes, Kernel kernel) {
    GpuMemory memory =
        backend.allocate(
            new MemoryRequest(PscnvGem.SYSRAM_SNOOP, 0, 0, bytes, OptionalLong.empty()));
    boolean complete = false;
    try {
      SharedArea area = memory.share();
      try (Fd fd = area.fd()) {
        Mapping mapping =
            kernel.mmap(fd, area.offset(), bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
        complete = true;
        return new MemoryWindow(memory, mapping);
      }
    } finally {
      if (!complete) {
        memory.close();
      }
    }
  }

  GpuMemory memory() {
    return memory;
  }

  /** As this process sees it. */
  public MemorySegment bytes() {
    return mapping.segment();
  }

  /** The guest it was opened for may have gone before. */
  @Override
  public void close() {
    mapping.close();
    Closing.close(memory::close, "window");
  }
}

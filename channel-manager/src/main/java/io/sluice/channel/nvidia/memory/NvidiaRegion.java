package io.sluice.channel.nvidia.memory;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.nvidia.rm.RmOpen;
import io.sluice.channel.nvidia.rm.RmRefusal;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/** A range of guest memory, mapped here so that RM can pin pages of it. */
public final class NvidiaRegion implements RegisteredMemory {
  private final RmOpen open;
  private final Consumer<NvidiaRegion> revoking;
  private final Mapping mapping;
  private final boolean writable;
  private boolean closed;

  private NvidiaRegion(
      RmOpen open, Mapping mapping, boolean writable, Consumer<NvidiaRegion> revoking) {
    this.open = open;
    this.revoking = revoking;
    this.mapping = mapping;
    this.writable = writable;
  }

  /**
   * @param revoking takes its pages from the GPU before it is unmapped, and forgets it
   */
  public static NvidiaRegion map(
      RmOpen open,
      Fd fd,
      long offset,
      long sizeBytes,
      boolean writable,
      Consumer<NvidiaRegion> revoking) {
    int protection = writable ? Kernel.PROT_READ | Kernel.PROT_WRITE : Kernel.PROT_READ;
    Mapping mapping = open.kernel().mmap(fd, offset, sizeBytes, protection);
    return new NvidiaRegion(open, mapping, writable, revoking);
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
    open.lock()
        .run(() -> {
          if (!closed) {
            closed = true;
            revoking.accept(this);
            mapping.close();
          }
        });
  }
}

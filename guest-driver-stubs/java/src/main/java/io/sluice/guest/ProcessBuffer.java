package io.sluice.guest;

import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;

/** A buffer of this process' own memory, which the GPU reads and writes without a copy. */
final class ProcessBuffer implements Buffer {
  private final AttachedDevice device;
  private final int handle;
  private final long iova;
  private final Mapping mapping;

  ProcessBuffer(AttachedDevice device, int handle, long iova, Mapping mapping) {
    this.device = device;
    this.handle = handle;
    this.iova = iova;
    this.mapping = mapping;
  }

  long iova() {
    return iova;
  }

  @Override
  public int handle() {
    return handle;
  }

  @Override
  public MemorySegment bytes() {
    return mapping.segment();
  }

  /** Frees the buffer and takes the memory back; channels that still map it end. */
  @Override
  public void close() {
    long size = mapping.sizeBytes();
    try {
      device.call(DeviceCalls.memFree(handle));
      device.unmapDma(iova, size);
    } finally {
      device.unshare(mapping);
    }
  }
}

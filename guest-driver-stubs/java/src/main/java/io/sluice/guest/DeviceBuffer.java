package io.sluice.guest;

import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * A buffer of a device.
 *
 * @param busAddress of memory of this process; empty of video memory
 * @param memory its bytes, wherever they are seen at the moment
 * @param free gives back what it holds
 */
record DeviceBuffer(
    int handle, OptionalLong busAddress, Supplier<MemorySegment> memory, Runnable free)
    implements Buffer {
  @Override
  public MemorySegment bytes() {
    return memory.get();
  }

  @Override
  public void close() {
    free.run();
  }
}

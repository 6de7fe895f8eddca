package io.sluice.guest;

import java.lang.foreign.MemorySegment;

/** A buffer in video memory, seen through the aperture. */
final class VideoBuffer implements Buffer {
  private final GuestDevice device;
  private final int handle;
  private final MemorySegment bytes;

  VideoBuffer(GuestDevice device, int handle, MemorySegment bytes) {
    this.device = device;
    this.handle = handle;
    this.bytes = bytes;
  }

  @Override
  public int handle() {
    return handle;
  }

  @Override
  public MemorySegment bytes() {
    return bytes;
  }

  @Override
  public void close() {
    device.freeMemory(handle);
  }
}

package io.sluice.guest;

import java.lang.foreign.MemorySegment;

/** A buffer in video memory, seen through the aperture. */
final class VideoBuffer implements Buffer {
  private final AttachedDevice device;
  private final int handle;
  private final long offset;
  private final long sizeBytes;

  /**
   * @param offset in the aperture
   */
  VideoBuffer(AttachedDevice device, int handle, long offset, long sizeBytes) {
    this.device = device;
    this.handle = handle;
    this.offset = offset;
    this.sizeBytes = sizeBytes;
  }

  @Override
  public int handle() {
    return handle;
  }

  @Override
  public MemorySegment bytes() {
    return device.aperture(offset, sizeBytes);
  }

  @Override
  public void close() {
    device.call(DeviceCalls.memFree(handle));
  }
}

package io.sluice.guest;

import java.lang.foreign.MemorySegment;

/** A buffer the GPU can map: in video memory or in memory of this process. */
public sealed interface Buffer extends AutoCloseable permits DeviceBuffer {
  /** The guest's handle of it. */
  int handle();

  /** Its bytes, as this process sees them. */
  MemorySegment bytes();

  /** Length in bytes. */
  default long sizeBytes() {
    return bytes().byteSize();
  }

  /** Gives the handle back; mappings in address spaces stay until they are unmapped. */
  @Override
  void close();
}

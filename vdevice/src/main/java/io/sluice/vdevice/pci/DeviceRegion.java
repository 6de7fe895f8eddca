package io.sluice.vdevice.pci;

import java.lang.foreign.MemorySegment;

/**
 * A region of the device as REGION_READ and REGION_WRITE see it. The caller has checked that the
 * range lies inside; nothing is allocated.
 */
public interface DeviceRegion {
  /** Length in bytes; 0 for a region that is absent. */
  long sizeBytes();

  /** Copies {@code count} bytes at {@code offset} to {@code into} at {@code at}. */
  void read(long offset, MemorySegment into, long at, int count);

  /** Stores {@code count} bytes of {@code from} at {@code at} to {@code offset}. */
  void write(long offset, MemorySegment from, long at, int count);

  /** A region that is not there. */
  DeviceRegion ABSENT =
      new DeviceRegion() {
        @Override
        public long sizeBytes() {
          return 0;
        }

        @Override
        public void read(long offset, MemorySegment into, long at, int count) {
          throw new AssertionError("read of an absent region");
        }

        @Override
        public void write(long offset, MemorySegment from, long at, int count) {
          throw new AssertionError("write of an absent region");
        }
      };
}

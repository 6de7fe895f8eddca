package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.sys.FileStatus;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.MemorySegment;

/** An eventfd: a counter that a read takes whole. */
final class EventFile extends OpenFile {
  private static final long ANON_INODE_MAGIC = 0x09041934;
  private static final long MOST = -2;
  private static final int MODE_0600 = 0x180;

  private long count;

  EventFile(long inode, int initial, boolean nonBlocking) {
    super("eventfd", inode);
    this.count = Integer.toUnsignedLong(initial);
    this.nonBlocking = nonBlocking;
  }

  @Override
  int readiness() {
    return (count != 0 ? Kernel.POLLIN : 0) | (count != MOST ? Kernel.POLLOUT : 0);
  }

  @Override
  FileStatus status() {
    return new FileStatus(2, inode, MODE_0600, 0, 0);
  }

  @Override
  long fileSystemType() {
    return ANON_INODE_MAGIC;
  }

  @Override
  long read(MemorySegment into) {
    if (into.byteSize() < Long.BYTES) {
      throw failure("read", Errno.EINVAL);
    }
    long taken = take();
    if (taken == 0) {
      return -1;
    }
    into.set(Layouts.WIRE_U64, 0, taken);
    return Long.BYTES;
  }

  @Override
  long write(MemorySegment from) {
    if (from.byteSize() != Long.BYTES || from.get(Layouts.WIRE_U64, 0) == -1) {
      throw failure("write", Errno.EINVAL);
    }
    return add(from.get(Layouts.WIRE_U64, 0)) ? Long.BYTES : -1;
  }

  /** Whether there was room. */
  boolean add(long value) {
    if (Long.compareUnsigned(value, MOST - count) > 0) {
      return false;
    }
    count += value;
    return true;
  }

  /** The count, which is 0 afterwards. */
  long take() {
    long taken = count;
    count = 0;
    return taken;
  }
}

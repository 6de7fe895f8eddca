package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.FileStatus;
import java.lang.foreign.MemorySegment;

/**
 * An open file of the fake kernel: what several descriptors, mappings and messages under way may
 * refer to. It ends when nobody does any more. All methods run under the fake's lock.
 */
abstract class OpenFile {
  final String name;
  final long inode;
  boolean nonBlocking;
  private int references;

  OpenFile(String name, long inode) {
    this.name = name;
    this.inode = inode;
  }

  final void acquire() {
    references++;
  }

  final void release() {
    if (references-- == 1) {
      end();
    }
  }

  /** Nothing refers to it any more. */
  void end() {}

  /** What {@code poll} would report: POLLIN, POLLOUT, POLLHUP, POLLERR. */
  abstract int readiness();

  abstract FileStatus status();

  abstract long fileSystemType();

  /** Bytes of the pages by which it is mapped. */
  long pageBytes() {
    return MemoryFile.PAGE_BYTES;
  }

  /** Bytes read, 0 at the end, -1 when there are none yet. */
  long read(MemorySegment into) {
    throw failure("read", Errno.EINVAL);
  }

  /** Bytes written, -1 when there is no room yet. */
  long write(MemorySegment from) {
    throw failure("write", Errno.EINVAL);
  }

  final SyscallException failure(String call, Errno errno) {
    return new SyscallException(call, name, errno.number());
  }
}

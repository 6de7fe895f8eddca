package io.sluice.migrate.session;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.MemorySegment;

/** A reader of words of a fixed length from a stream. */
final class WordReader {
  private WordReader() {}

  /** Receives a whole word; false at the end or the time-out. Descriptors are refused. */
  static boolean receive(Kernel kernel, Fd stream, MemorySegment into, FdList fds) {
    long got = 0;
    while (got < into.byteSize()) {
      long count = kernel.recvmsg(stream, into.asSlice(got), fds);
      fds.closeAll();
      if (count <= 0) {
        return false;
      }
      got += count;
    }
    return true;
  }
}

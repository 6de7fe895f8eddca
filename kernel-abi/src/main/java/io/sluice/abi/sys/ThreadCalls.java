package io.sluice.abi.sys;

import io.sluice.abi.SyscallException;

/** The calls of {@link ThreadKernel}. */
final class ThreadCalls {
  /** Of {@code clock_gettime}. */
  static final int CLOCK_THREAD_CPUTIME_ID = 3;

  private ThreadCalls() {}

  static long processorTimeNs() {
    Scratch scratch = Scratch.current();
    int result = Libc.clockGettime(scratch, CLOCK_THREAD_CPUTIME_ID);
    if (result < 0) {
      throw new SyscallException("clock_gettime", "clock=" + CLOCK_THREAD_CPUTIME_ID, -result);
    }
    return Timespec.TV_SEC.get(scratch.timespec) * 1_000_000_000L
        + Timespec.TV_NSEC.get(scratch.timespec);
  }

  static void giveWay(int nice) {
    Libc.nice(Scratch.current(), nice);
  }
}

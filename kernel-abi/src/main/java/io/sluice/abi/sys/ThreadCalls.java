package io.sluice.abi.sys;

import io.sluice.abi.SyscallException;

/** The calls of {@link ThreadKernel}. */
final class ThreadCalls {
  /** Of {@code clock_gettime}. */
  static final int CLOCK_THREAD_CPUTIME_ID = 3;

  /** Of {@code getrusage}: the calling thread's. */
  static final int RUSAGE_THREAD = 1;

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

  static ThreadUse threadUse() {
    Scratch scratch = Scratch.current();
    int result = Libc.getrusage(scratch, RUSAGE_THREAD);
    if (result < 0) {
      throw new SyscallException("getrusage", "who=" + RUSAGE_THREAD, -result);
    }
    long faults = Rusage.RU_MINFLT.get(scratch.rusage) + Rusage.RU_MAJFLT.get(scratch.rusage);
    return new ThreadUse(
        faults, Rusage.RU_NVCSW.get(scratch.rusage), Rusage.RU_NIVCSW.get(scratch.rusage));
  }

  static void giveWay(int nice) {
    Libc.nice(Scratch.current(), nice);
  }
}

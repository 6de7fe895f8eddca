package io.sluice.abi.sys;

/** System calls about the calling thread. */
public interface ThreadKernel {
  /**
   * Processor time that the calling thread has had, in nanoseconds: {@code
   * clock_gettime(CLOCK_THREAD_CPUTIME_ID)}. Allocates nothing.
   */
  long processorTimeNs();

  /**
   * What the calling thread has used until now: {@code getrusage(RUSAGE_THREAD)}. Processor time is
   * not in it: the kernel counts that there from tick to tick.
   */
  ThreadUse threadUse();

  /**
   * Has others go first that want the processor of the calling thread: {@code nice}, which is a
   * thread's on Linux. Where that is forbidden nothing changes.
   *
   * @param nice what is added to its nice value: 1, a little, to 19
   */
  void giveWay(int nice);
}

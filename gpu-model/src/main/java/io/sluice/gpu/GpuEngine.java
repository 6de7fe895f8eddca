package io.sluice.gpu;

/**
 * The GPU's own thread as a duty cycle: whoever composes the system calls {@link #doWork} in a loop
 * and waits for {@link #idleNs} when it did nothing.
 */
public interface GpuEngine {
  /**
   * One duty cycle: looks at the control pages that are due and executes at most one turn of each
   * channel that has work; about once a second also gives memory back that guests touched without
   * having allocated it.
   *
   * @param nowNs time of the same clock that the GPU was given
   * @return slices that made progress; 0 when there was nothing to do
   */
  int doWork(long nowNs);

  /** How long the thread may wait before the next duty cycle, as of the end of the last one. */
  long idleNs();
}

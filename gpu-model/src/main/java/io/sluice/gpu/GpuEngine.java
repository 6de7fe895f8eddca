package io.sluice.gpu;

import io.sluice.gpu.fifo.Runlist;

/**
 * The GPU's own thread as a duty cycle: whoever composes the system calls {@link #doWork} in a loop
 * and waits for {@link #idleNs} when it did nothing.
 *
 * <p>What a channel does touches its guest's memory, and a guest can make that take long: the
 * kernel keeps whoever touches pages that are being taken out of a file. So there is another
 * thread, which calls {@link #relieve} and then runs the loop in the first one's place; the first
 * one is told when it comes back.
 */
public interface GpuEngine {
  /** Answer of {@link #doWork} to a thread in whose place another one works: its loop ends. */
  int SUPERSEDED = Runlist.SUPERSEDED;

  /**
   * One duty cycle: looks at the control pages that are due and executes at most one turn of each
   * channel that has work; about once a second also gives memory back that guests touched without
   * having allocated it.
   *
   * @param nowNs time of the same clock that the GPU was given
   * @return slices that made progress; 0 when there was nothing to do; {@link #SUPERSEDED}
   */
  int doWork(long nowNs);

  /** How long the thread may wait before the next duty cycle, as of the end of the last one. */
  long idleNs();

  /**
   * Has the calling thread run the engine from here on, if the one that does has been in one
   * guest's memory for some milliseconds while several opens have channels. Cheap when it has not.
   *
   * @param nowNs as for {@link #doWork}
   * @return whether the calling thread calls {@link #doWork} from now on
   */
  boolean relieve(long nowNs);

  /**
   * How many of the threads that run grids are held up in the same way while grids of other opens
   * wait: as many more are wanted. Any thread may ask.
   *
   * @param nowNs as for {@link #doWork}
   */
  int heldUpWorkers(long nowNs);

  /** Whether grids run. Any thread may ask. */
  boolean isComputing();
}

package io.sluice.gpu.sm;

import io.sluice.gpu.sm.fault.WarpError;

/** The outcome of a grid. */
public sealed interface GridOutcome {
  /** All threads have exited. */
  record Completed() implements GridOutcome {}

  /** It was killed. */
  record Killed() implements GridOutcome {}

  /**
   * A warp did something wrong.
   *
   * @param error what
   * @param pc offset of the instruction in the program region
   * @param address the address concerned, otherwise 0
   */
  record Faulted(WarpError error, int pc, long address) implements GridOutcome {}

  /**
   * A warp accessed an address that its address space does not allow.
   *
   * @param pc offset of the instruction in the program region
   * @param address the GPU address
   * @param write whether it was to be written
   * @param reason the MMU's code
   */
  record PageFault(int pc, long address, boolean write, int reason) implements GridOutcome {}

  /** The open it belongs to has no bytes left that grids may take of the heap. */
  record OutOfHeap() implements GridOutcome {}

  /**
   * We did something wrong.
   *
   * @param cause what
   */
  record Failed(Throwable cause) implements GridOutcome {}
}

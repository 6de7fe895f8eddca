package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.Warp;
import org.jspecify.annotations.Nullable;

/** The runner of the warps of one worker's block: by interpretation, or compiled. */
public interface WarpRunner {
  /**
   * Runs a warp until it ends, waits at a barrier, or has had its turn.
   *
   * @param poll asked in loops and every few thousand instructions; it may throw
   * @throws WarpFault when the program did something wrong
   * @throws MemoryFault when it accessed what its address space does not allow
   */
  void run(Block block, Warp warp, Runnable poll);

  /** Offset of the instruction that threw. */
  int faultPc();

  /** Warp instructions that were executed. */
  long instructions();

  /** Those of them that were interpreted. */
  long interpreted();

  /** Code that the warp came to which is not there; asked after each run. Null for none. */
  default @Nullable Missing missing() {
    return null;
  }

  /** The maker of code that was missing, in two parts: only the first touches the grid's memory. */
  interface Missing {
    /** Reads the instructions. */
    void read();

    /** Compiles them; may take some time. */
    void make();
  }

  /** The maker of the runners of a grid's workers. */
  interface Factory {
    /** Instructions that keep a window of their own. */
    int sites();

    /** Registers that the program may read before it writes them, by bit: they start as 0. */
    long readFirst();

    /** A runner for one worker. */
    WarpRunner create(Grid grid, LaneMemory memory);
  }
}

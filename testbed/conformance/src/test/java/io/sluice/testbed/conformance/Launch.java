package io.sluice.testbed.conformance;

import io.sluice.abi.Layouts;
import io.sluice.channel.nvidia.HopperCommands;
import java.lang.foreign.MemorySegment;

/** The methods by which a compute channel is set up, and launches the grid of a QMD. */
final class Launch {
  private static final int COMPUTE = 1;

  private Launch() {}

  /** Once per channel. */
  static HopperCommands setUp(HopperCommands commands) {
    return commands
        .bindCopy()
        .method(COMPUTE, 0, NvidiaRig.COMPUTE_CLASS)
        .method(COMPUTE, 0x2a0, (int) (Qmd.SHARED_WINDOW >>> 32), (int) Qmd.SHARED_WINDOW)
        .method(COMPUTE, 0x7b0, (int) (Qmd.LOCAL_WINDOW >>> 32), (int) Qmd.LOCAL_WINDOW);
  }

  static HopperCommands of(HopperCommands commands, long qmd) {
    return commands
        .method(COMPUTE, 0x1698, 0x1011) // invalidate caches
        .method(COMPUTE, 0x2b4, (int) (qmd >>> 8))
        .method(COMPUTE, 0x2c0, 3);
  }

  /**
   * Stores a QMD and its constants.
   *
   * @param at where in memory; 4 KiB are used
   * @param address the same for the GPU
   * @param parameters words behind the constants
   */
  static void store(
      Cubin cubin,
      long code,
      MemorySegment memory,
      long at,
      long address,
      int grid,
      int block,
      int... parameters) {
    long constants = 0x400;
    Qmd.storeConstants(memory, at + constants, grid, block);
    for (int i = 0; i < parameters.length; i++) {
      memory.set(Layouts.U32, at + constants + cubin.parameterBase() + 4L * i, parameters[i]);
    }
    new Qmd(cubin, code, address + constants, grid, block).store(memory, at);
  }
}

package io.sluice.channel.nvidia.submit;

import io.sluice.abi.Layouts;
import io.sluice.abi.rm.RmClass;
import java.lang.foreign.MemorySegment;

/** The methods by which a compute channel is set up, and launches the grid of a QMD. */
public final class HopperLaunch {
  private static final int COMPUTE = 1;

  private HopperLaunch() {}

  /** Once per channel: the classes of copying and computing, and the windows of the latter. */
  public static HopperCommands setUp(HopperCommands commands) {
    return commands
        .bindCopy()
        .method(COMPUTE, 0, RmClass.HOPPER_COMPUTE_A.number())
        .method(COMPUTE, 0x2a0, (int) (Qmd.SHARED_WINDOW >>> 32), (int) Qmd.SHARED_WINDOW)
        .method(COMPUTE, 0x7b0, (int) (Qmd.LOCAL_WINDOW >>> 32), (int) Qmd.LOCAL_WINDOW);
  }

  /**
   * The grid of a QMD.
   *
   * @param qmd its address, a multiple of 256
   */
  public static HopperCommands of(HopperCommands commands, long qmd) {
    return commands
        .method(COMPUTE, 0x1698, 0x1011) // invalidate caches
        .method(COMPUTE, 0x2b4, (int) (qmd >>> 8))
        .method(COMPUTE, 0x2c0, 3);
  }

  /**
   * Stores a QMD and its constants.
   *
   * @param kernel what is launched
   * @param code its address for the GPU
   * @param memory that both see
   * @param at where in memory; 4 KiB are used
   * @param address the same for the GPU
   * @param grid blocks
   * @param block threads of a block
   * @param parameters words behind the constants
   */
  public static void store(
      HopperKernel kernel,
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
      memory.set(Layouts.U32, at + constants + kernel.parameterBase() + 4L * i, parameters[i]);
    }
    new Qmd(kernel, code, address + constants, grid, block).store(memory, at);
  }
}

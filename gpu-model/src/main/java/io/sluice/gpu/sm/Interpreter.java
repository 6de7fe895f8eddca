package io.sluice.gpu.sm;

import java.util.function.BooleanSupplier;

/**
 * Runs a grid, instruction by instruction and lane by lane: the readable definition of what a
 * program does. Blocks run one after the other; the warps of a block take turns.
 */
public final class Interpreter {
  /** Instructions a warp runs before the next one has its turn. */
  private static final int TURN = 1024;

  private final SmMemory memory;
  private final BooleanSupplier killed;
  private long instructions;

  /**
   * @param memory the channel's address space
   * @param killed asked every few thousand instructions; true ends the grid
   */
  public Interpreter(SmMemory memory, BooleanSupplier killed) {
    this.memory = memory;
    this.killed = killed;
  }

  /** Warp instructions executed so far. */
  public long instructions() {
    return instructions;
  }

  /**
   * Runs a grid to its end.
   *
   * @throws IllegalArgumentException for a grid whose {@link Grid#problem} was not asked first
   */
  public Outcome run(Grid grid) {
    if (grid.problem().isPresent()) {
      throw new IllegalArgumentException("grid is not launchable, " + grid.problem().get());
    }
    BlockMemory blockMemory = new BlockMemory(grid);
    Executor executor = new Executor(grid, memory, blockMemory);
    for (int z = 0; z < grid.gridZ(); z++) {
      for (int y = 0; y < grid.gridY(); y++) {
        for (int x = 0; x < grid.gridX(); x++) {
          blockMemory.clear();
          Outcome outcome = runBlock(grid, executor, new Block(grid, x, y, z));
          if (!(outcome instanceof Outcome.Completed)) {
            return outcome;
          }
        }
      }
    }
    return new Outcome.Completed();
  }

  private Outcome runBlock(Grid grid, Executor executor, Block block) {
    while (!block.finished()) {
      boolean progress = false;
      for (Warp warp : block.warps()) {
        for (int n = 0; n < TURN && !warp.finished() && warp.waitingAt < 0; n++) {
          int pc = warp.pc;
          try {
            executor.step(block, warp);
          } catch (WarpFault fault) {
            return new Outcome.Faulted(fault.error(), pc, fault.address());
          } catch (SmMemory.MemoryFault fault) {
            return new Outcome.PageFault(pc, fault.address());
          }
          instructions++;
          progress = true;
        }
        if (killed.getAsBoolean()) {
          return new Outcome.Killed();
        }
      }
      if (!progress && !block.releaseBarriers()) {
        // Every warp waits at a barrier that the others never reach.
        return new Outcome.Faulted(WarpError.INVALID_PARAM, block.warps().get(0).pc, 0);
      }
    }
    return new Outcome.Completed();
  }

  /** How a grid ended. */
  public sealed interface Outcome {
    /** All threads have exited. */
    record Completed() implements Outcome {}

    /** It was killed. */
    record Killed() implements Outcome {}

    /**
     * A warp did something wrong.
     *
     * @param error what
     * @param pc offset of the instruction in the program region
     * @param address the address concerned, otherwise 0
     */
    record Faulted(WarpError error, int pc, long address) implements Outcome {}

    /**
     * A warp accessed an address that its address space does not allow.
     *
     * @param pc offset of the instruction in the program region
     * @param address the GPU address
     */
    record PageFault(int pc, long address) implements Outcome {}
  }
}

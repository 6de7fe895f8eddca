package io.sluice.gpu.sm;

import java.util.function.BooleanSupplier;

/**
 * Runs a grid, instruction by instruction and lane by lane: the readable definition of what a
 * program does. Blocks run one after the other; the warps of a block take turns.
 */
public final class Interpreter {
  /** Instructions a warp runs before the next one has its turn. */
  private static final int TURN = 1024;

  private final Translator translator;
  private final BooleanSupplier killed;
  private long instructions;

  /**
   * @param translator the channel's address space
   * @param killed asked every few thousand instructions; true ends the grid
   */
  public Interpreter(Translator translator, BooleanSupplier killed) {
    this.translator = translator;
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
    LaneMemory memory = new LaneMemory(grid, translator, 0, 0);
    Stepper stepper = new Stepper(grid, memory);
    Block block = new Block(grid);
    for (long number = 0; number < grid.blocks(); number++) {
      memory.clear();
      block.reset(number);
      Outcome outcome = runBlock(stepper, block);
      if (!(outcome instanceof Outcome.Completed)) {
        return outcome;
      }
    }
    return new Outcome.Completed();
  }

  private Outcome runBlock(Stepper stepper, Block block) {
    while (!block.finished()) {
      boolean progress = false;
      for (Warp warp : block.warps()) {
        for (int n = 0; n < TURN && !warp.finished() && warp.waitingAt < 0; n++) {
          int pc = warp.pc;
          try {
            stepper.step(block, warp);
          } catch (WarpFault fault) {
            return new Outcome.Faulted(fault.error(), pc, fault.address());
          } catch (MemoryFault fault) {
            return new Outcome.PageFault(pc, fault.address(), fault.write(), fault.reason());
          }
          instructions++;
          progress = true;
        }
        if (killed.getAsBoolean()) {
          return new Outcome.Killed();
        }
      }
      if (!progress) {
        // Every warp waits at a barrier that the others never reach.
        return new Outcome.Faulted(WarpError.INVALID_PARAM, block.warps()[0].pc, 0);
      }
    }
    return new Outcome.Completed();
  }
}

package io.sluice.gpu.sm;

import io.sluice.gpu.sm.memory.Translator;
import io.sluice.gpu.sm.warp.Grid;
import java.util.function.BooleanSupplier;

/**
 * The interpreter of a grid, which runs it on the calling thread, instruction by instruction and
 * lane by lane: the readable definition of what a program does. Blocks run one after the other; the
 * warps of a block take turns.
 */
public final class Interpreter {
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
  public GridOutcome run(Grid grid) {
    GridRun run = GridRun.interpreted(grid, () -> translator, 1);
    GridOutcome outcome = run.runInline(killed);
    instructions += run.instructions();
    return outcome;
  }
}

package io.sluice.gpu.sm.jit;

import io.sluice.gpu.sm.decode.Program;
import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.interpret.WarpRunner;
import io.sluice.gpu.sm.jit.plan.ProgramImage;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.warp.Grid;

/**
 * A program that was compiled: what its start leads to, and parts that were found when warps came
 * to addresses that the program computes, or that were too many to be looked at in one go.
 *
 * <p>Parts are added while grids run; what is there does not change.
 */
final class CompiledProgram implements WarpRunner.Factory {
  /** Most instructions of all parts; those of more run interpreted. */
  static final int MAX_INSTRUCTIONS = 1 << 16;

  /** Most parts. */
  static final int MAX_PARTS = 256;

  private final CompiledPart[] parts = new CompiledPart[MAX_PARTS];
  private final long readFirst;
  private final CompileBudget budget;

  /** How many parts there are; written last, with the lock held, when one is added. */
  private volatile int count;

  /**
   * @param main what its start leads to
   * @param readFirst registers that it may read before it writes them, by bit
   * @param budget of the guest, for further parts
   */
  CompiledProgram(CompiledPart main, long readFirst, CompileBudget budget) {
    this.parts[0] = main;
    this.readFirst = readFirst;
    this.budget = budget;
    this.count = 1;
  }

  int partCount() {
    return count;
  }

  CompiledPart part(int index) {
    return parts[index];
  }

  /** Whether a step starts at an offset. */
  boolean isKnown(int pc) {
    int known = count;
    for (int n = 0; n < known; n++) {
      if (parts[n].stepAt(pc) != null) {
        return true;
      }
    }
    return false;
  }

  /** Whether parts may be added now. */
  boolean isExtensible() {
    return count < MAX_PARTS && instructions() < MAX_INSTRUCTIONS && !budget.isSpent();
  }

  /**
   * Compiles a part and adds it, unless somebody else has.
   *
   * @param start offset of its first instruction
   * @return whether there is code for that offset now
   */
  synchronized boolean extend(ProgramImage image, int start) {
    if (isKnown(start)) {
      return true;
    }
    if (image.instructions().isEmpty() || !isExtensible() || !budget.tryTake()) {
      return false;
    }
    parts[count] = ProgramCompiler.part(image, sites());
    count = count + 1;
    return true;
  }

  /** Instructions of all parts. */
  int instructions() {
    int sum = 0;
    for (int n = count - 1; n >= 0; n--) {
      sum += parts[n].instructions();
    }
    return sum;
  }

  /** Bytes of all parts. */
  int bytes() {
    int sum = 0;
    for (int n = count - 1; n >= 0; n--) {
      sum += parts[n].bytes();
    }
    return sum;
  }

  /** Whether memory still holds the instructions it was compiled from. */
  boolean isMadeOf(Program program) {
    try {
      for (int n = count - 1; n >= 0; n--) {
        if (!parts[n].isMadeOf(program)) {
          return false;
        }
      }
      return true;
    } catch (WarpFault | MemoryFault _) {
      return false;
    }
  }

  @Override
  public int sites() {
    return parts[count - 1].sites();
  }

  @Override
  public long readFirst() {
    return readFirst;
  }

  @Override
  public WarpRunner create(Grid grid, LaneMemory memory) {
    return new CompiledWarps(this, grid, memory);
  }
}

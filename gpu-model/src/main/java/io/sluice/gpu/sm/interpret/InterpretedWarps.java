package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.Warp;

/** The runner of warps, instruction by instruction. */
final class InterpretedWarps implements WarpRunner {
  /** Instructions a warp runs before the next one has its turn. */
  private static final int TURN = 1024;

  /** Makes them. */
  static final Factory FACTORY =
      new Factory() {
        @Override
        public int sites() {
          return 0;
        }

        @Override
        public long readFirst() {
          return -1;
        }

        @Override
        public WarpRunner create(Grid grid, LaneMemory memory) {
          return new InterpretedWarps(new Stepper(grid, memory));
        }
      };

  private final Stepper stepper;
  private long instructions;
  private int pc;

  InterpretedWarps(Stepper stepper) {
    this.stepper = stepper;
  }

  @Override
  public void run(Block block, Warp warp, Runnable poll) {
    poll.run();
    for (int n = 0; n < TURN && !warp.finished() && warp.waitingAt < 0; n++) {
      pc = warp.pc;
      stepper.step(block, warp);
      instructions++;
    }
  }

  @Override
  public int faultPc() {
    return pc;
  }

  @Override
  public long instructions() {
    return instructions;
  }

  @Override
  public long interpreted() {
    return instructions;
  }
}

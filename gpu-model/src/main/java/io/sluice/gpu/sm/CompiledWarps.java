package io.sluice.gpu.sm;

import java.util.List;

/**
 * Runs warps step by step of a compiled program. Where a warp comes to an offset that was not
 * compiled, it is interpreted, and that is counted.
 */
final class CompiledWarps implements WarpRunner {
  /** Instructions a warp runs before the next one has its turn. */
  private static final int TURN = 1 << 14;

  /** Instructions after which it is asked whether the grid is stopped. */
  private static final int POLL = 1 << 10;

  private final CompiledProgram program;
  private final CompiledCode code;
  private final LaneContext context;
  private final ControlUnit control;
  private final Stepper stepper;
  private final LaneSteps laneSteps;
  private final boolean complete;
  private long instructions;
  private long interpreted;
  private int pc;
  private boolean inSegment;

  CompiledWarps(CompiledProgram program, Grid grid, LaneMemory memory) {
    this.program = program;
    this.code = program.code();
    List<OperandPool.Place> places = program.pool().places();
    int[] values = new int[places.size()];
    this.complete = fill(values, places, memory.constants());
    this.context = new LaneContext(memory, values);
    this.control = new ControlUnit(memory.constants());
    this.stepper = new Stepper(grid, memory);
    this.laneSteps = new LaneSteps(program.segments(), stepper, context);
  }

  /**
   * Reads the constants; false when one cannot be: the instruction that needs it faults, if it is
   * ever executed, which is left to the interpreter.
   */
  private static boolean fill(
      int[] values, List<OperandPool.Place> places, ConstantMemory constants) {
    boolean all = true;
    for (int n = 0; n < values.length; n++) {
      try {
        values[n] = constants.load32(places.get(n).bank(), places.get(n).offset());
      } catch (WarpFault | MemoryFault _) {
        all = false;
      }
    }
    return all;
  }

  @Override
  public void run(Block block, Warp warp, Runnable poll) {
    context.enter(block, poll);
    poll.run();
    int left = TURN;
    int nextPoll = TURN - POLL;
    while (left > 0 && !warp.finished() && warp.waitingAt < 0) {
      if (left <= nextPoll) {
        poll.run();
        nextPoll = left - POLL;
      }
      pc = warp.pc;
      inSegment = false;
      Step step = complete ? program.stepAt(pc) : null;
      if (step == null) {
        program.sawUnseen(pc);
        stepper.step(block, warp);
        instructions++;
        interpreted++;
        left--;
      } else {
        int executed = execute(step, block, warp);
        instructions += executed;
        left -= executed;
      }
    }
  }

  /** Executes a step; says how many instructions that were. */
  private int execute(Step step, Block block, Warp warp) {
    if (step.kind() == Step.Kind.CONTROL) {
      control(step.instruction(), block, warp);
      return 1;
    }
    context.count(step.count());
    inSegment = true;
    int lanes = code.run(step.segment(), context, warp, warp.active);
    for (int left = context.takeLeft(); left != 0; left &= left - 1) {
      int lane = Integer.numberOfTrailingZeros(left);
      lanes |= laneSteps.run(step, block, warp, lane) ? 1 << lane : 0;
    }
    context.throwFault();
    inSegment = false;
    switch (step.kind()) {
      case BRANCH -> {
        warp.pc = step.end();
        ControlUnit.branch(warp, lanes, step.target());
      }
      case JOIN -> {
        warp.pc = step.end();
        warp.join(lanes);
        warp.resumeIfIdle();
      }
      case LOOP -> {
        return step.count() * leaveLoop(step, warp);
      }
      default -> warp.pc = step.end();
    }
    return step.count();
  }

  private void control(Instruction i, Block block, Warp warp) {
    int lanes = ControlUnit.holding(i, warp);
    warp.pc += Instruction.BYTES;
    if (i.form() != Opcode.NOP) {
      control.execute(i.form(), i, block, warp, lanes);
    }
    if (i.join()) {
      warp.join(lanes);
    }
    warp.resumeIfIdle();
  }

  /**
   * Each lane has been through the loop by itself. Had they gone together, those that left it first
   * would wait while the others go on: so tokens are pushed for them in that order.
   *
   * @return how often the lane that stayed longest went through it
   */
  private int leaveLoop(Step step, Warp warp) {
    int[] trips = context.trips;
    while (true) {
      int least = Integer.MAX_VALUE;
      int most = 0;
      for (int rest = warp.active; rest != 0; rest &= rest - 1) {
        int n = trips[Integer.numberOfTrailingZeros(rest)];
        least = Math.min(least, n);
        most = Math.max(most, n);
      }
      if (least == most) {
        warp.pc = most == SegmentEmitter.MOST_TRIPS ? step.pc() : step.end();
        return most + (most == SegmentEmitter.MOST_TRIPS ? 0 : 1);
      }
      int first = 0;
      for (int rest = warp.active; rest != 0; rest &= rest - 1) {
        int lane = Integer.numberOfTrailingZeros(rest);
        first |= trips[lane] == least ? 1 << lane : 0;
      }
      warp.push(Warp.Token.DIVERGED, step.end(), first);
      warp.active &= ~first;
    }
  }

  @Override
  public int faultPc() {
    return inSegment ? context.faultPc() : pc;
  }

  @Override
  public long instructions() {
    return instructions;
  }

  @Override
  public long interpreted() {
    return interpreted;
  }
}

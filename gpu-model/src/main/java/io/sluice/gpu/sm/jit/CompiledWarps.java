package io.sluice.gpu.sm.jit;

import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.interpret.ControlUnit;
import io.sluice.gpu.sm.interpret.Stepper;
import io.sluice.gpu.sm.interpret.WarpRunner;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.jit.emit.LaneContext;
import io.sluice.gpu.sm.jit.emit.OperandPool;
import io.sluice.gpu.sm.jit.emit.SegmentEmitter;
import io.sluice.gpu.sm.jit.plan.ProgramImage;
import io.sluice.gpu.sm.jit.plan.Segment;
import io.sluice.gpu.sm.jit.plan.Step;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.Warp;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The runner of warps, step by step of a compiled program. Where a warp comes to an offset that was
 * not compiled, that is compiled; where that cannot be, it is interpreted, and counted.
 */
final class CompiledWarps implements WarpRunner {
  /** Instructions a warp runs before the next one has its turn. */
  private static final int TURN = 1 << 14;

  /** Instructions after which it is asked whether the grid is stopped. */
  private static final int POLL = 1 << 10;

  private static final int NOWHERE = -1;

  private final CompiledProgram program;
  private final LaneMemory memory;
  private final LaneContext context;
  private final ControlUnit control;
  private final Stepper stepper;
  private final LaneSteps laneSteps;

  /** Parts as this worker uses them, by number; null for one it has not come to. */
  private final @Nullable Part[] parts = new Part[CompiledProgram.MAX_PARTS];

  private Part part;
  private long instructions;
  private long interpreted;
  private int pc;
  private boolean inSegment;

  /** Where a warp stands for which there is no code. */
  private int missing = NOWHERE;

  /** Where it turned out that there can be none. */
  private int refused = NOWHERE;

  /**
   * A part with its constants.
   *
   * @param compiled its code
   * @param constants their values
   * @param broken segments that need a constant which cannot be read, by number: they fault if they
   *     are ever executed, which is left to the interpreter
   * @param intact whether there are none
   */
  @SuppressWarnings("ArrayRecordComponent") // Used, never compared.
  private record Part(CompiledPart compiled, int[] constants, BitSet broken, boolean intact) {}

  CompiledWarps(CompiledProgram program, Grid grid, LaneMemory memory) {
    this.program = program;
    this.memory = memory;
    this.context = new LaneContext(grid, memory);
    this.control = new ControlUnit(memory.constants());
    this.stepper = new Stepper(grid, memory);
    this.laneSteps = new LaneSteps(stepper, context);
    this.part = enter(0);
    context.pool = part.constants;
  }

  /** Prepares a part for use. */
  private Part enter(int number) {
    CompiledPart compiled = program.part(number);
    memory.growTo(compiled.sites());
    List<OperandPool.BankWord> places = compiled.places();
    if (number > 0) {
      memory.heap().take((long) places.size() * Integer.BYTES);
    }
    int[] values = new int[places.size()];
    BitSet unreadable = new BitSet();
    for (int n = 0; n < values.length; n++) {
      try {
        values[n] = memory.constants().load32(places.get(n).bank(), places.get(n).offset());
      } catch (WarpFault | MemoryFault _) {
        unreadable.set(n);
      }
    }
    BitSet broken = new BitSet();
    for (int n = 0; n < compiled.segments().size(); n++) {
      broken.set(n, compiled.placesOf(n).intersects(unreadable));
    }
    Part fresh = new Part(compiled, values, broken, broken.isEmpty());
    parts[number] = fresh;
    return fresh;
  }

  /** The step at an offset, its part being {@link #part} then; null if there is none. */
  private @Nullable Step find(int offset) {
    Step step = part.compiled.stepAt(offset);
    if (step == null) {
      step = findElsewhere(offset);
    }
    return step;
  }

  /** Whether a step is one that faults if it is executed. */
  private boolean isBroken(Step step) {
    return !part.intact && step.kind() != Step.Kind.CONTROL && part.broken.get(step.segment());
  }

  /** The same in all parts; the one it is in is entered. */
  private @Nullable Step findElsewhere(int offset) {
    int known = program.partCount();
    for (int n = 0; n < known; n++) {
      Step step = program.part(n).stepAt(offset);
      if (step != null) {
        Part entered = parts[n];
        part = entered == null ? enter(n) : entered;
        context.pool = part.constants;
        return step;
      }
    }
    return null;
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
      Step step = find(pc);
      if (step == null && pc != refused && program.isExtensible()) {
        // Another worker may have compiled it since: then that is found out when it is made.
        missing = pc;
        return;
      }
      int executed =
          step == null || isBroken(step) ? interpret(block, warp) : execute(step, block, warp);
      instructions += executed;
      left -= executed;
    }
  }

  private int interpret(Block block, Warp warp) {
    stepper.step(block, warp);
    interpreted++;
    return 1;
  }

  @Override
  public @Nullable Missing missing() {
    if (missing == NOWHERE) {
      return null;
    }
    int start = missing;
    missing = NOWHERE;
    return new Missing() {
      private @Nullable ProgramImage image;

      @Override
      public void read() {
        image = ProgramImage.ofPart(stepper.program(), start, program::isKnown);
      }

      @Override
      public void make() {
        if (image == null || !program.extend(image, start)) {
          refused = start;
        }
      }
    };
  }

  /** Executes a step; says how many instructions that were. */
  private int execute(Step step, Block block, Warp warp) {
    if (step.kind() == Step.Kind.CONTROL) {
      control(step.instruction(), block, warp);
      return 1;
    }
    if (!step.isPlain() && !warp.hasRoom(step.tokens().size())) {
      throw interpretToFault(step, block, warp);
    }
    context.count(step.count());
    inSegment = true;
    int lanes = part.compiled.code().run(step.segment(), context, warp, warp.active);
    int undone = context.takeLeft();
    if (undone != 0) {
      lanes |= interpretLanes(step, block, warp, undone);
    }
    context.throwFault();
    inSegment = false;
    if (step.isPlain()) {
      warp.pc = step.end();
      return step.count();
    }
    for (int n = 0; n < step.tokens().size(); n++) {
      warp.push(Warp.Token.JOIN, step.tokens().get(n), warp.active);
    }
    pc = step.end() - Instruction.BYTES; // of the instruction that branches, or where lanes meet
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

  /**
   * An SSY of the step has no room for its token: so what comes before it is executed, then it. The
   * guest may have written other instructions there since the step was compiled: those fault no
   * later.
   */
  private WarpFault interpretToFault(Step step, Block block, Warp warp) {
    for (int n = 0; n < step.count(); n++) {
      context.poll();
      pc = warp.pc;
      int _ = interpret(block, warp);
    }
    return new WarpFault(WarpError.STACK_ERROR);
  }

  /** Lanes whose code has left a segment undone; says which of them branch or join. */
  private int interpretLanes(Step step, Block block, Warp warp, int undone) {
    interpreted += step.count();
    Segment segment = part.compiled.segments().get(step.segment());
    int marked = 0;
    for (int left = undone; left != 0; left &= left - 1) {
      int lane = Integer.numberOfTrailingZeros(left);
      marked |= laneSteps.run(segment, block, warp, lane) ? 1 << lane : 0;
    }
    return marked;
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

package io.sluice.gpu.sm.jit;

import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.interpret.ControlUnit;
import io.sluice.gpu.sm.interpret.Stepper;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.jit.emit.LaneContext;
import io.sluice.gpu.sm.jit.emit.SegmentEmitter;
import io.sluice.gpu.sm.jit.plan.Planner;
import io.sluice.gpu.sm.jit.plan.Segment;
import io.sluice.gpu.sm.jit.plan.Step;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Warp;

/**
 * The interpreter of a compiled segment for one lane: what its code leaves undone when the lane
 * reads where there is no shared memory. Mostly that is a fault, which is found with its address;
 * an address that wraps around 2^32 comes to a good end.
 */
final class LaneSteps {
  private final Stepper stepper;
  private final LaneContext context;

  LaneSteps(Stepper stepper, LaneContext context) {
    this.stepper = stepper;
    this.context = context;
  }

  /** Says what the segment's code says of a lane: whether it branches, or joins. */
  boolean run(Segment segment, Block block, Warp warp, int lane) {
    context.trips[lane] = 0;
    boolean marked;
    do {
      marked = once(segment, block, warp, lane);
      if (!marked || segment.kind() != Step.Kind.LOOP) {
        return marked;
      }
      context.trips[lane]++;
      context.poll();
    } while (context.trips[lane] < SegmentEmitter.MOST_TRIPS);
    return marked;
  }

  private boolean once(Segment segment, Block block, Warp warp, int lane) {
    int pc = segment.pc();
    boolean joins = false;
    for (Instruction i : segment.body()) {
      boolean holds = warp.predicate(i.predicate(), lane) != i.predicateNegated();
      joins = holds && i.join();
      try {
        if (holds && !Planner.isToken(i)) {
          warp.pc = pc + Instruction.BYTES;
          stepper.executeLane(i.form(), i, block, warp, lane);
        }
      } catch (WarpFault | MemoryFault fault) {
        context.record(fault, pc, context.trips[lane], lane);
        return false;
      }
      pc += Instruction.BYTES;
    }
    return switch (segment.kind()) {
      case JOIN -> joins;
      case BRANCH, LOOP -> ControlUnit.takes(segment.last(), warp, lane);
      default -> false;
    };
  }
}

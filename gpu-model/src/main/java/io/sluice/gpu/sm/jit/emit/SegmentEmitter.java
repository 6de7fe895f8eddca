package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.jit.plan.Liveness;
import io.sluice.gpu.sm.jit.plan.Segment;
import io.sluice.gpu.sm.jit.plan.Step;
import io.sluice.gpu.sm.jit.plan.UniformChain;
import io.sluice.gpu.sm.warp.Warp;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;

/**
 * The emitter of a segment's method: for each lane in turn its registers are loaded into local
 * variables, the instructions follow, and what they have written is stored again. A lane that
 * faults is recorded, and stores nothing.
 *
 * <pre>
 *   int result = 0
 *   for (lane = 0; lane &lt; 32; lane++)
 *     if (lanes does not have lane) continue
 *     load
 *     try { body } catch (RuntimeException e) { context.record(e, at, trip); continue }
 *     store
 *     result |= branch taken ? 1 &lt;&lt; lane : 0
 *   return result
 * </pre>
 *
 * The loop counts, and registers of all lanes stand together, so that HotSpot checks an array's
 * bounds before the loop and not for each access.
 *
 * <p>A loop repeats the body for each lane until it does not branch any more, but a limited number
 * of times, so that other warps get their turn; how often it branched is left in the context.
 */
public final class SegmentEmitter {
  /** Most times in a row that a lane goes through a loop. */
  public static final int MOST_TRIPS = 1 << 14;

  /** Instructions after which a lane in a loop asks whether the grid is stopped. */
  private static final int POLL_INSTRUCTIONS = 1 << 13;

  private static final ClassDesc CONTEXT = HostClass.of(LaneContext.class);
  private static final ClassDesc RUNTIME_EXCEPTION = ClassDesc.of("java.lang.RuntimeException");
  private static final ClassDesc INTS = ConstantDescs.CD_int.arrayType();

  /** The argument with the lanes that it is run for. */
  private static final int LANES = 2;

  private final CodeBuilder code;
  private final Segment segment;
  private final LaneState lane;
  private final InstructionEmitter instructions;
  private final int result;
  private final int trip;
  private final int nextPoll;

  public SegmentEmitter(CodeBuilder code, Segment segment, OperandPool pool, Liveness liveness) {
    this.code = code;
    this.segment = segment;
    this.lane = new LaneState(code, segment, pool, liveness);
    this.instructions = new InstructionEmitter(code, lane, pool);
    this.result = code.allocateLocal(TypeKind.INT);
    this.trip = code.allocateLocal(TypeKind.INT);
    this.nextPoll = code.allocateLocal(TypeKind.INT);
  }

  /**
   * Emits it with instructions that are executed once for all lanes.
   *
   * @param chain which; their inputs are known to be the same in all lanes
   */
  public void emit(UniformChain chain) {
    lane.prepare();
    lane.loadFirst(chain.inputs(), LANES);
    chain.selected().forEach((pc, i) -> instructions.emitOnce(i, pc));
    lane.forgetKept();
    emitLanes();
  }

  /** Emits it as it is. */
  public void emit() {
    lane.prepare();
    emitLanes();
  }

  private void emitLanes() {
    Label next = code.newLabel();
    Label end = code.newLabel();
    Label head = code.newLabel();
    code.iconst_0().istore(result);
    code.iconst_0().istore(lane.lane());
    code.labelBinding(head);
    code.iload(lane.lane()).loadConstant(Warp.LANES).if_icmpge(end);
    code.iload(LANES).iload(lane.lane()).iushr().iconst_1().iand().ifeq(next);
    code.iconst_0().istore(trip);
    code.loadConstant(segment.pc()).istore(lane.at());
    lane.load();
    emitGuarded(next);
    code.labelBinding(next);
    code.iinc(lane.lane(), 1);
    code.goto_(head);
    code.labelBinding(end);
    lane.flags().finish();
    code.iload(result).ireturn();
  }

  /** The body, the stores, and what is done with a fault. */
  private void emitGuarded(Label next) {
    Label start = code.newLabel();
    Label stop = code.newLabel();
    Label handler = code.newLabel();
    code.labelBinding(start);
    // A range must not be empty.
    code.nop();
    if (segment.kind() == Step.Kind.LOOP) {
      emitLoop();
    } else {
      emitOnce();
    }
    lane.store();
    code.labelBinding(stop);
    code.goto_(next);
    code.labelBinding(handler);
    int thrown = code.allocateLocal(TypeKind.REFERENCE);
    code.astore(thrown);
    code.aload(0).aload(thrown).iload(lane.at()).iload(trip).iload(lane.lane());
    code.invokevirtual(
        CONTEXT,
        "record",
        MethodTypeDesc.of(
            ConstantDescs.CD_void,
            RUNTIME_EXCEPTION,
            ConstantDescs.CD_int,
            ConstantDescs.CD_int,
            ConstantDescs.CD_int));
    lane.flags().keep();
    code.exceptionCatch(start, stop, handler, RUNTIME_EXCEPTION);
  }

  private void emitOnce() {
    List<Instruction> body = segment.body();
    int pc = segment.pc();
    if (segment.kind() == Step.Kind.JOIN) {
      int last = body.size() - 1;
      int lastPc = pc + last * Instruction.BYTES;
      instructions.emit(body.subList(0, last), pc);
      // Which lanes meet is decided before the instruction changes its own predicate.
      emitMark(body.get(last), false);
      instructions.emit(body.subList(last, last + 1), lastPc);
    } else {
      instructions.emit(body, pc);
    }
    if (segment.kind() == Step.Kind.BRANCH) {
      emitMark(segment.last(), true);
    }
  }

  /** Adds the lane to the result if an instruction's predicate, and test, holds. */
  private void emitMark(Instruction i, boolean tested) {
    lane.flags().pushHolds(i, tested);
    code.iload(lane.lane()).ishl().iload(result).ior().istore(result);
  }

  /** A power of two, so that it divides {@link #MOST_TRIPS}. */
  private int pollTrips() {
    return Integer.highestOneBit(Math.max(1, POLL_INSTRUCTIONS / segment.instructions().size()));
  }

  /** A loop in a loop, so that nothing in the inner one forces what does not change to be read. */
  private void emitLoop() {
    Label outer = code.newLabel();
    Label inner = code.newLabel();
    Label done = code.newLabel();
    code.labelBinding(outer);
    code.iload(trip).loadConstant(pollTrips()).iadd().istore(nextPoll);
    code.labelBinding(inner);
    instructions.emit(segment.body(), segment.pc());
    lane.flags().skipUnless(segment.last(), true, done);
    code.iinc(trip, 1);
    code.iload(trip).iload(nextPoll).if_icmplt(inner);
    code.aload(0).invokevirtual(CONTEXT, "poll", MethodTypeDesc.of(ConstantDescs.CD_void));
    lane.readWindows();
    code.iload(trip).loadConstant(MOST_TRIPS).if_icmplt(outer);
    code.labelBinding(done);
    code.aload(0).getfield(CONTEXT, "trips", INTS);
    code.iload(lane.lane()).iload(trip).iastore();
  }
}

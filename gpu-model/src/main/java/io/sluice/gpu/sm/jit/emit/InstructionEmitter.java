package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.jit.plan.PairFusion;
import io.sluice.gpu.sm.jit.plan.Planner;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.util.List;

/** The emitter of an instruction of a lane, under its predicate. */
final class InstructionEmitter {
  private final CodeBuilder code;
  private final LaneState lane;
  private final IntegerEmitter integers;
  private final FloatEmitter floats;
  private final PredicateEmitter predicates;
  private final MoveEmitter moves;
  private final MemoryEmitter memory;
  private final ImageEmitter images;

  InstructionEmitter(CodeBuilder code, LaneState lane, OperandPool pool) {
    this.code = code;
    this.lane = lane;
    OperandEmitter operands = new OperandEmitter(code, lane);
    this.integers = new IntegerEmitter(code, lane, operands);
    ResultEmitter results = new ResultEmitter(code, lane, operands);
    this.floats = new FloatEmitter(code, lane, operands, results);
    this.predicates = new PredicateEmitter(code, lane, operands, results);
    this.moves = new MoveEmitter(code, lane, operands, results);
    this.memory = new MemoryEmitter(code, lane, operands, pool);
    this.images = new ImageEmitter(code, lane, operands);
  }

  /**
   * Emits instructions in order.
   *
   * @param pc offset of the first in the program
   */
  void emit(List<Instruction> body, int pc) {
    for (int n = 0; n < body.size(); n++) {
      int at = pc + n * Instruction.BYTES;
      lane.flags().enter(at);
      if (Planner.isToken(body.get(n)) || lane.popOnce(at)) {
        continue;
      }
      if (n + 1 < body.size() && isPair(body.get(n), body.get(n + 1), at)) {
        integers.emitPair(body.get(n), body.get(n + 1));
        n++;
      } else {
        emit(body.get(n), at);
      }
    }
  }

  /** Emits an instruction for the first of the lanes, whose results all lanes get. */
  void emitOnce(Instruction i, int pc) {
    lane.flags().enter(pc);
    emit(i, pc);
    lane.keepOnce(i, pc);
  }

  /** Whether two instructions are one on a pair of registers, and nobody else reads the carry. */
  private boolean isPair(Instruction low, Instruction high, int pc) {
    return PairFusion.matches(low, high) && !lane.flags().isConditionLive(pc + Instruction.BYTES);
  }

  private void emit(Instruction i, int pc) {
    Opcode opcode = i.form();
    Label end = code.newLabel();
    lane.flags().skipUnless(i, false, end);
    switch (opcode.family()) {
      case NOTHING -> {}
      case INTEGER -> integers.emit(opcode, i);
      case FLOAT -> floats.emit(opcode, i);
      case PREDICATE -> predicates.emit(opcode, i);
      case MOVE -> moves.emit(opcode, i, pc);
      case MEMORY -> memory.emit(opcode, i, pc);
      case IMAGE -> images.emit(opcode, i, pc);
      case CONTROL -> throw new AssertionError(opcode);
    }
    code.labelBinding(end);
  }
}

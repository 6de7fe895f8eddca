package io.sluice.gpu.sm;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.util.List;

/** Emits an instruction of a lane, under its predicate. */
final class InstructionEmitter {
  private final CodeBuilder code;
  private final LaneState lane;
  private final IntegerEmitter integers;
  private final FloatEmitter floats;
  private final PredicateEmitter predicates;
  private final MoveEmitter moves;
  private final MemoryEmitter memory;

  InstructionEmitter(CodeBuilder code, LaneState lane, OperandPool pool) {
    this.code = code;
    this.lane = lane;
    OperandEmitter operands = new OperandEmitter(code, lane);
    this.integers = new IntegerEmitter(code, lane, operands);
    this.floats = new FloatEmitter(code, lane, operands);
    this.predicates = new PredicateEmitter(code, lane, operands);
    this.moves = new MoveEmitter(code, lane, operands);
    this.memory = new MemoryEmitter(code, lane, operands, pool);
  }

  /**
   * Emits instructions in order.
   *
   * @param pc offset of the first in the program
   */
  void emit(List<Instruction> body, int pc) {
    for (int n = 0; n < body.size(); n++) {
      int at = pc + n * Instruction.BYTES;
      lane.enter(at);
      if (n + 1 < body.size() && isPair(body.get(n), body.get(n + 1), at)) {
        integers.emitPair(body.get(n), body.get(n + 1));
        n++;
      } else {
        emit(body.get(n), at);
      }
    }
  }

  /** Whether two instructions are one on a pair of registers, and nobody else reads the carry. */
  private boolean isPair(Instruction low, Instruction high, int pc) {
    return PairFusion.matches(low, high) && !lane.isConditionLive(pc + Instruction.BYTES);
  }

  private void emit(Instruction i, int pc) {
    Opcode opcode = i.form();
    Label end = code.newLabel();
    lane.skipUnless(i, false, end);
    switch (opcode) {
      case NOP, MEMBAR, CCTL, CCTLL -> {}
      case IADD,
          IADD32I,
          IMUL,
          IMUL32I,
          IMAD,
          IMAD32I,
          ISCADD,
          ISCADD32I,
          SHL,
          SHR,
          LOP,
          LOP32I,
          IMNMX,
          ICMP,
          ISAD,
          BFE,
          BFI,
          FLO,
          POPC,
          PRMT ->
          integers.emit(opcode, i);
      case FADD,
          FADD32I,
          FMUL,
          FMUL32I,
          FFMA,
          FFMA32I,
          FMNMX,
          FCMP,
          RRO,
          MUFU,
          DADD,
          DMUL,
          DFMA,
          DMNMX ->
          floats.emit(opcode, i);
      case ISETP, FSETP, DSETP, PSETP, CSETP, ISET, FSET, DSET, PSET, CSET, SEL, P2R, R2P ->
          predicates.emit(opcode, i);
      case MOV, MOV32I, S2R, LEPC, F2F, F2I, I2F, I2I -> moves.emit(opcode, i, pc);
      default -> memory.emit(opcode, i, pc);
    }
    code.labelBinding(end);
  }
}

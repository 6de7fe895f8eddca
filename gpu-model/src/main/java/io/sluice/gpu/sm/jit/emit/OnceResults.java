package io.sluice.gpu.sm.jit.emit;

import io.sluice.gpu.sm.decode.Effects;
import io.sluice.gpu.sm.isa.Instruction;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Results of instructions that were executed for the first lane and are those of all lanes: kept in
 * local variables of their own, since each lane has its registers in the others.
 */
final class OnceResults {
  private final CodeBuilder code;
  private final Map<Integer, List<Result>> byOffset = new HashMap<>();

  /** A register or predicate, and the local variable that has its value for all lanes. */
  private record Result(boolean isPredicate, int number, int slot) {}

  OnceResults(CodeBuilder code) {
    this.code = code;
  }

  /**
   * Puts the results of an instruction aside.
   *
   * @param registers local variables of the registers
   * @param predicates those of the predicates
   */
  void keep(Instruction i, int pc, int[] registers, int[] predicates) {
    Effects effects = Effects.of(i.form(), i);
    List<Result> results = new ArrayList<>();
    for (int r = 0; r < Instruction.RZ; r++) {
      if ((effects.writes() >>> r & 1) != 0) {
        results.add(new Result(false, r, copyOf(registers[r])));
      }
    }
    for (int p = 0; p < Instruction.PT; p++) {
      if ((effects.predicateWrites() >>> p & 1) != 0) {
        results.add(new Result(true, p, copyOf(predicates[p])));
      }
    }
    byOffset.put(pc, results);
  }

  private int copyOf(int slot) {
    int copy = code.allocateLocal(TypeKind.INT);
    code.iload(slot).istore(copy);
    return copy;
  }

  /** Gives them to a lane; false if the instruction at an offset was not executed once. */
  boolean pop(int pc, LaneState lane) {
    List<Result> results = byOffset.get(pc);
    if (results == null) {
      return false;
    }
    for (Result result : results) {
      code.iload(result.slot);
      if (result.isPredicate) {
        lane.flags().popPredicate(result.number);
      } else {
        lane.popRegister(result.number);
      }
    }
    return true;
  }
}

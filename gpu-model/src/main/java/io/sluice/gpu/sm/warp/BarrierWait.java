package io.sluice.gpu.sm.warp;

import io.sluice.gpu.sm.isa.Instruction;

/**
 * The second half of a BAR: what it writes when the barrier lets the warp go.
 *
 * @param word the instruction
 * @param lanes the lanes that executed it
 */
public record BarrierWait(long word, int lanes) {
  private static final int COUNT = 0;
  private static final int ALL = 1;

  /** Whether an instruction writes anything then. */
  public static boolean writes(Instruction i) {
    return target(i.word()) != Instruction.RZ || predicate(i.word()) != Instruction.PT;
  }

  private static int target(long word) {
    return Instruction.bits(word, 19, 14);
  }

  private static int predicate(long word) {
    return Instruction.bits(word, 55, 53);
  }

  /**
   * Writes the reduction's result: the count of lanes whose predicate held, or whether all or any
   * did. The register gets the count, or all ones; the predicate whether it is not 0.
   */
  void finish(Warp warp, int count, boolean all) {
    int value =
        switch (Instruction.bits(word, 7, 5)) {
          case COUNT -> count;
          case ALL -> all ? -1 : 0;
          default -> count != 0 ? -1 : 0;
        };
    warp.setAll(target(word), lanes, value);
    warp.setPredicates(predicate(word), lanes, value != 0);
  }
}

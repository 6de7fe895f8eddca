package io.sluice.gpu.sm.jit.plan;

import io.sluice.gpu.sm.isa.Instruction;
import java.util.List;

/**
 * Instructions that each lane can execute alone before the next lane does, with the same result as
 * if all lanes executed each together.
 *
 * @param kind what ends it
 * @param pc offset of the first
 * @param instructions in order; those of a branch or loop end with it
 */
public record Segment(Step.Kind kind, int pc, List<Instruction> instructions) {
  public Segment {
    instructions = List.copyOf(instructions);
  }

  /** Those that compute: all but the branch. */
  public List<Instruction> body() {
    boolean branches = kind == Step.Kind.BRANCH || kind == Step.Kind.LOOP;
    return branches ? instructions.subList(0, instructions.size() - 1) : instructions;
  }

  public Instruction last() {
    return instructions.get(instructions.size() - 1);
  }
}

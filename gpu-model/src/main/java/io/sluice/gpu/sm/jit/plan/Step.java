package io.sluice.gpu.sm.jit.plan;

import io.sluice.gpu.sm.isa.Instruction;
import java.util.List;

/**
 * A step of a warp: what it does at an offset of a compiled program.
 *
 * @param kind what
 * @param pc offset of its first instruction
 * @param end offset of the instruction after it
 * @param segment number of its code, unless it is {@link Kind#CONTROL}
 * @param instruction the last one, for those kinds that act on it
 * @param count instructions
 * @param tokens where lanes meet that its SSYs name
 */
public record Step(
    Kind kind,
    int pc,
    int end,
    int segment,
    Instruction instruction,
    int count,
    List<Integer> tokens) {
  public Step {
    tokens = List.copyOf(tokens);
  }

  /** The kind of a step. */
  public enum Kind {
    /** One instruction that concerns the warp as a whole. */
    CONTROL,
    /** Instructions of lanes. */
    SEGMENT,
    /** Instructions of lanes, and a branch. */
    BRANCH,
    /** Instructions of lanes, after the last of which they wait for others: {@code .S}. */
    JOIN,
    /** Instructions of lanes, and a branch back to the first of them. */
    LOOP
  }

  /** Whether the warp goes on behind it, whatever its lanes did. */
  public boolean isPlain() {
    return kind == Kind.SEGMENT && tokens.isEmpty();
  }

  /** Where its branch goes. */
  public int target() {
    return ProgramImage.target(instruction, end - Instruction.BYTES);
  }
}

package io.sluice.gpu.sm;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What of a program can be seen without running it: the instructions that its start leads to, and
 * where control can come in. Targets that a program computes are not seen; they are found when it
 * goes there.
 *
 * @param instructions by offset
 * @param leaders offsets at which control comes in from elsewhere
 */
record ProgramImage(NavigableMap<Integer, Instruction> instructions, Set<Integer> leaders) {
  /** Most instructions that are looked at. */
  private static final int MAX_INSTRUCTIONS = 1 << 14;

  /**
   * Follows a program.
   *
   * @param program fetches instructions
   * @param roots where control comes in from outside
   */
  static ProgramImage of(Program program, Set<Integer> roots) {
    NavigableMap<Integer, Instruction> instructions = new TreeMap<>();
    Set<Integer> leaders = new TreeSet<>(roots);
    Deque<Integer> open = new ArrayDeque<>(roots);
    while (!open.isEmpty() && instructions.size() < MAX_INSTRUCTIONS) {
      int pc = open.pop();
      while (!instructions.containsKey(pc) && instructions.size() < MAX_INSTRUCTIONS) {
        Instruction i = fetch(program, pc);
        if (i == null) {
          break;
        }
        instructions.put(pc, i);
        int next = pc + Instruction.BYTES;
        if (hasTarget(i)) {
          int target = target(i, pc);
          leaders.add(target);
          open.push(target);
        }
        if (endsBlock(i)) {
          leaders.add(next);
        }
        if (!continues(i)) {
          break;
        }
        pc = next;
      }
    }
    return new ProgramImage(instructions, leaders);
  }

  private static @Nullable Instruction fetch(Program program, int pc) {
    try {
      return program.at(pc);
    } catch (WarpFault | MemoryFault _) {
      // What is no instruction faults when it is executed, not when it is looked at.
      return null;
    }
  }

  /** Whether the instruction names an address in the program. */
  private static boolean hasTarget(Instruction i) {
    return switch (i.form()) {
      case BRA, CAL, SSY, PBK, PCNT, PRET, JMP, JCAL -> !i.bit(14);
      default -> false;
    };
  }

  /** That address. */
  static int target(Instruction i, int pc) {
    return switch (i.form()) {
      case JMP, JCAL -> i.imm32();
      default -> pc + Instruction.BYTES + i.offset24();
    };
  }

  /** Whether control may come to the next instruction from elsewhere, or not at all. */
  private static boolean endsBlock(Instruction i) {
    return i.group() == Instruction.CONTROL_GROUP || i.join();
  }

  /** Whether a lane may go on to the next instruction. */
  static boolean continues(Instruction i) {
    boolean always = i.isAlways() && i.bits(9, 5) == ConditionCode.TRUE;
    return switch (i.form()) {
      case BRA, JMP, BRX, JMX, EXIT, KIL, RET, BRK, CONT -> !always;
      case BPT -> false;
      default -> true;
    };
  }
}

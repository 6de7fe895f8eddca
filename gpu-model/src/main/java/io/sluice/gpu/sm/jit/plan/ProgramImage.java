package io.sluice.gpu.sm.jit.plan;

import io.sluice.gpu.sm.decode.Program;
import io.sluice.gpu.sm.fault.MemoryFault;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The part of a program that can be seen without running it: the instructions that an offset leads
 * to, and where control can come in. Targets that a program computes are not seen; they are found
 * when it goes there.
 *
 * @param instructions by offset
 * @param leaders offsets at which control comes in from elsewhere
 * @param open whether lanes may go to code that is not in it, and come back from there
 */
public record ProgramImage(
    NavigableMap<Integer, Instruction> instructions, Set<Integer> leaders, boolean open) {
  /** Most instructions that are looked at, so that compiling them takes a limited time. */
  public static final int MAX_INSTRUCTIONS = 1 << 12;

  /** Most bytes between the start and an instruction that is looked at, either way. */
  private static final int MAX_DISTANCE = MAX_INSTRUCTIONS * Instruction.BYTES;

  public ProgramImage {
    instructions = Collections.unmodifiableNavigableMap(instructions);
    leaders = Collections.unmodifiableSet(leaders);
  }

  /**
   * Follows a program from its start.
   *
   * @param program fetches instructions
   * @param start offset of the first
   */
  public static ProgramImage of(Program program, int start) {
    return new Reader(program, start, _ -> false).read();
  }

  /**
   * Follows a part of a program that was found while it ran.
   *
   * @param start offset of the first instruction
   * @param known whether there is code for an offset already, which need not be followed
   */
  public static ProgramImage ofPart(Program program, int start, IntPredicate known) {
    ProgramImage image = new Reader(program, start, known).read();
    return new ProgramImage(image.instructions, image.leaders, true);
  }

  /** The gatherer of instructions. */
  private static final class Reader {
    private final Program program;
    private final int start;
    private final IntPredicate known;
    private final NavigableMap<Integer, Instruction> instructions = new TreeMap<>();
    private final Set<Integer> leaders = new TreeSet<>();
    private final Deque<Integer> waiting = new ArrayDeque<>();
    private boolean open;

    Reader(Program program, int start, IntPredicate known) {
      this.program = program;
      this.start = start;
      this.known = known;
    }

    ProgramImage read() {
      leaders.add(start);
      waiting.push(start);
      while (!waiting.isEmpty()) {
        follow(waiting.pop());
      }
      return new ProgramImage(instructions, leaders, open);
    }

    private void follow(int from) {
      int pc = from;
      while (!instructions.containsKey(pc) && !known.test(pc)) {
        Instruction i = isWithinLimits(pc) ? fetch(pc) : null;
        if (i == null) {
          open = true;
          return;
        }
        instructions.put(pc, i);
        int next = pc + Instruction.BYTES;
        if (hasTarget(i)) {
          int target = target(i, pc);
          leaders.add(target);
          waiting.push(target);
        }
        open |= isComputed(i);
        if (endsBlock(i)) {
          leaders.add(next);
        }
        if (!continues(i)) {
          return;
        }
        pc = next;
      }
    }

    private boolean isWithinLimits(int pc) {
      return instructions.size() < MAX_INSTRUCTIONS && Math.abs((long) pc - start) <= MAX_DISTANCE;
    }

    private @Nullable Instruction fetch(int pc) {
      try {
        return program.at(pc);
      } catch (WarpFault | MemoryFault _) {
        // What is no instruction faults when it is executed, not when it is looked at.
        return null;
      }
    }
  }

  /** Whether the instruction names an address in the program. */
  private static boolean hasTarget(Instruction i) {
    return switch (i.form()) {
      case BRA, CAL, SSY, PBK, PCNT, PRET, JMP, JCAL -> !i.bit(14);
      default -> false;
    };
  }

  /** Whether it goes, or sends lanes, to an address that is not in it. */
  private static boolean isComputed(Instruction i) {
    return switch (i.form()) {
      case BRA, CAL, SSY, PBK, PCNT, PRET, JMP, JCAL -> i.bit(14);
      case BRX, JMX -> true;
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
    return (i.group() == Instruction.CONTROL_GROUP && !Planner.isToken(i)) || i.join();
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

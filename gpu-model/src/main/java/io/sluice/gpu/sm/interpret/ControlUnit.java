package io.sluice.gpu.sm.interpret;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.memory.ConstantMemory;
import io.sluice.gpu.sm.warp.BarrierWait;
import io.sluice.gpu.sm.warp.Block;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.Warp;

/**
 * Branches, calls, and the tokens that bring lanes together again; barriers and votes. What
 * concerns a warp as a whole. The interpreter and compiled programs both use it.
 */
public final class ControlUnit {
  private static final int ARRIVE = 4;

  private final ConstantMemory constants;

  public ControlUnit(ConstantMemory constants) {
    this.constants = constants;
  }

  /** Whether an instruction is executed here. */
  public static boolean isFor(Opcode opcode) {
    return opcode.family() == Opcode.Family.CONTROL;
  }

  /**
   * Executes an instruction of a warp; its pc is already at the next one.
   *
   * @param lanes active lanes whose predicate holds
   */
  public void execute(Opcode opcode, Instruction i, Block block, Warp w, int lanes) {
    switch (opcode) {
      case SSY -> w.push(Warp.Token.JOIN, target(i, w), w.active);
      case PBK -> w.push(Warp.Token.BREAK, target(i, w), w.active);
      case PCNT -> w.push(Warp.Token.CONTINUE, target(i, w), w.active);
      case PRET -> w.push(Warp.Token.RETURN, target(i, w), w.active);
      case CAL -> {
        int callee = target(i, w);
        w.push(Warp.Token.RETURN, w.pc, w.active);
        w.pc = callee;
      }
      case JCAL -> {
        int callee = absolute(i);
        w.push(Warp.Token.RETURN, w.pc, w.active);
        w.pc = callee;
      }
      case BRA -> branch(w, unanimous(i, w, tested(i, w, lanes)), target(i, w));
      case JMP -> branch(w, unanimous(i, w, tested(i, w, lanes)), absolute(i));
      case BRX -> indexed(i, w, tested(i, w, lanes), w.pc, i.offset24());
      case JMX -> indexed(i, w, tested(i, w, lanes), 0, i.imm32());
      case EXIT, KIL -> exit(block, w, tested(i, w, lanes));
      case BRK -> w.unwind(Warp.Token.BREAK, tested(i, w, lanes));
      case CONT -> w.unwind(Warp.Token.CONTINUE, tested(i, w, lanes));
      case RET -> w.unwind(Warp.Token.RETURN, tested(i, w, lanes));
      case BAR -> barrier(i, block, w, lanes);
      case VOTE -> vote(i, w, lanes);
      case BPT -> throw new WarpFault(WarpError.INVALID_OPCODE, w.pc - Instruction.BYTES);
      default -> throw new AssertionError(opcode);
    }
  }

  /** The active lanes whose predicate holds. */
  public static int holding(Instruction i, Warp w) {
    return w.active & w.holding(i.predicate(), i.predicateNegated());
  }

  /** The lanes whose condition code passes the instruction's test as well. */
  private static int tested(Instruction i, Warp w, int lanes) {
    int test = i.bits(9, 5);
    if (test == ConditionCode.TRUE) {
      return lanes;
    }
    int passing = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      int lane = Integer.numberOfTrailingZeros(rest);
      passing |= ConditionCode.holds(test, w.cc[lane]) ? 1 << lane : 0;
    }
    return passing;
  }

  /** Whether a lane takes a branch: its predicate holds, and the test of its condition code. */
  public static boolean takes(Instruction i, Warp w, int lane) {
    return w.predicate(i.predicate(), lane) != i.predicateNegated()
        && (i.bits(9, 5) == ConditionCode.TRUE || ConditionCode.holds(i.bits(9, 5), w.cc[lane]));
  }

  /** Bit 15, {@code .U}: the branch is taken by all active lanes or by none. */
  private static int unanimous(Instruction i, Warp w, int lanes) {
    return i.bit(15) && lanes != w.active ? 0 : lanes;
  }

  /** Where a relative branch goes: from the next instruction on, or what a constant says. */
  private int target(Instruction i, Warp w) {
    return i.bit(14) ? w.pc + constants.load32(i.loadBank(), i.loadOffset()) : w.pc + i.offset24();
  }

  private int absolute(Instruction i) {
    return i.bit(14) ? constants.load32(i.loadBank(), i.loadOffset()) : i.imm32();
  }

  /** The lanes go to an address; when others do not, those wait their turn. */
  public static void branch(Warp w, int lanes, int target) {
    int staying = w.active & ~lanes;
    if (lanes == 0) {
      return;
    }
    if (staying != 0) {
      w.push(Warp.Token.DIVERGED, w.pc, staying);
      w.active = lanes;
    }
    w.pc = target;
  }

  /**
   * A branch whose lanes may all go elsewhere: one address at a time. Bit 14 takes the target from
   * a constant at the register's offset.
   */
  private void indexed(Instruction i, Warp w, int lanes, int base, int offset) {
    int staying = w.active & ~lanes;
    if (lanes == 0) {
      return;
    }
    if (staying != 0) {
      w.push(Warp.Token.DIVERGED, w.pc, staying);
    }
    int rest = lanes;
    while (rest != 0) {
      int index = w.get(i.src1(), Integer.numberOfTrailingZeros(rest));
      int same = 0;
      for (int r = rest; r != 0; r &= r - 1) {
        int lane = Integer.numberOfTrailingZeros(r);
        same |= w.get(i.src1(), lane) == index ? 1 << lane : 0;
      }
      rest &= ~same;
      int target =
          i.bit(14)
              ? base + constants.load32(i.loadBank(), i.loadOffset() + index)
              : base + offset + index;
      if (rest != 0) {
        w.push(Warp.Token.DIVERGED, target, same);
      } else {
        w.active = same;
        w.pc = target;
      }
    }
  }

  private static void exit(Block block, Warp w, int lanes) {
    w.exit(lanes);
    if (w.finished()) {
      block.warpEnded();
    }
  }

  /**
   * BAR: arrives; all forms but {@code arrive} also wait. What a reducing form gives is written
   * when the barrier lets the warp go.
   */
  private static void barrier(Instruction i, Block block, Warp w, int lanes) {
    if (lanes == 0) {
      return;
    }
    int operation = i.bits(7, 5);
    int lane = Integer.numberOfTrailingZeros(lanes);
    int id = i.bit(47) ? i.src1() & 0xf : w.get(i.src1(), lane);
    int threads = i.bit(46) ? i.bits(37, 26) : w.get(i.src2(), lane);
    if (id < 0 || id >= Grid.MAX_BARRIERS || threads < 0 || threads > Grid.MAX_THREADS) {
      throw new WarpFault(WarpError.INVALID_PARAM, Integer.toUnsignedLong(id));
    }
    int yes = lanes & PredicateUnit.source3(i, w);
    if (operation != ARRIVE) {
      w.waitAt(id, BarrierWait.writes(i) ? new BarrierWait(i.word(), lanes) : null);
    }
    block.arrive(id, threads, lanes, yes);
  }

  /** VOTE: the ballot of the active lanes, and whether all, any or uniformly they hold. */
  private static void vote(Instruction i, Warp w, int lanes) {
    int ballot = lanes & w.holding(i.bits(22, 20), i.bit(23));
    boolean result =
        switch (i.bits(6, 5)) {
          case 0 -> ballot == lanes;
          case 1 -> ballot != 0;
          default -> ballot == lanes || ballot == 0;
        };
    w.setAll(i.dst(), lanes, ballot);
    w.setPredicates(i.bits(56, 54), lanes, result);
  }
}

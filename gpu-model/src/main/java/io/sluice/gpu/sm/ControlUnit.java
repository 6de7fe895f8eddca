package io.sluice.gpu.sm;

/** Branches, calls, and the tokens that bring lanes together again. Moves the warp's pc. */
final class ControlUnit {
  private final Operands operands;

  ControlUnit(Operands operands) {
    this.operands = operands;
  }

  /**
   * @param lanes active lanes whose predicate holds; the pc is already at the next instruction
   */
  void execute(Opcode opcode, Instruction i, Warp w, int lanes) {
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
        w.push(Warp.Token.RETURN, w.pc, w.active);
        w.pc = absolute(i);
      }
      case BRA -> branch(w, tested(i, w, lanes), target(i, w));
      case JMP -> branch(w, tested(i, w, lanes), absolute(i));
      case BRX -> indexed(w, tested(i, w, lanes), i, w.pc + i.offset24());
      case JMX -> indexed(w, tested(i, w, lanes), i, i.imm32());
      case EXIT, KIL -> w.exit(tested(i, w, lanes));
      case BRK -> w.unwind(Warp.Token.BREAK, tested(i, w, lanes));
      case CONT -> w.unwind(Warp.Token.CONTINUE, tested(i, w, lanes));
      case RET -> w.unwind(Warp.Token.RETURN, tested(i, w, lanes));
      case BPT -> throw new WarpFault(WarpError.INVALID_OPCODE, w.pc);
      default -> throw new AssertionError(opcode);
    }
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

  /** Where a relative branch goes: from the next instruction on, or what a constant says. */
  private int target(Instruction i, Warp w) {
    return i.bit(14)
        ? w.pc + operands.constant(i.constBank(), i.constOffset())
        : w.pc + i.offset24();
  }

  private int absolute(Instruction i) {
    return i.bit(14) ? operands.constant(i.constBank(), i.constOffset()) : i.imm32();
  }

  /** The lanes go to an address; when others do not, those wait their turn. */
  private static void branch(Warp w, int lanes, int target) {
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

  /** A branch whose lanes may all go elsewhere: one address at a time. */
  private static void indexed(Warp w, int lanes, Instruction i, int base) {
    int next = w.pc;
    int staying = w.active & ~lanes;
    if (staying != 0) {
      w.push(Warp.Token.DIVERGED, next, staying);
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
      if (rest != 0) {
        w.push(Warp.Token.DIVERGED, base + index, same);
      } else {
        w.active = same;
        w.pc = base + index;
      }
    }
  }
}

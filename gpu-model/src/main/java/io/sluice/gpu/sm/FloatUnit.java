package io.sluice.gpu.sm;

/** Single and double precision of one lane. */
final class FloatUnit {
  private final Operands operands;

  FloatUnit(Operands operands) {
    this.operands = operands;
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    switch (opcode) {
      case FADD -> {
        int b = Fp32.absoluteIf(i.bit(6), operands.secondFloat(i, w, lane));
        finish(
            i,
            w,
            lane,
            Fp32.add(first(i, w, lane), Fp32.negateIf(i.bit(8), b), mode(i), i.bit(5), i.bit(49)));
      }
      case FADD32I ->
          finish(i, w, lane, Fp32.add(first(i, w, lane), i.imm32(), Rounding.RN, i.bit(5), false));
      case FMUL -> {
        int a = Fp32.negateIf(i.bit(57), w.get(i.src1(), lane));
        finish(
            i,
            w,
            lane,
            Fp32.multiply(
                a, operands.secondFloat(i, w, lane), mode(i), i.bit(6), i.bit(7), i.bit(5)));
      }
      case FMUL32I -> {
        int a = w.get(i.src1(), lane);
        finish(i, w, lane, Fp32.multiply(a, i.imm32(), Rounding.RN, i.bit(6), i.bit(7), i.bit(5)));
      }
      case FFMA ->
          fma(i, w, lane, operands.secondFloat(i, w, lane), operands.third(i, w, lane), mode(i));
      case FFMA32I -> fma(i, w, lane, i.imm32(), w.get(i.dst(), lane), Rounding.RN);
      case FMNMX -> {
        int b = Fp32.absoluteIf(i.bit(6), operands.secondFloat(i, w, lane));
        boolean min = PredicateUnit.source3(i, w, lane);
        finish(
            i, w, lane, Fp32.minMax(first(i, w, lane), Fp32.negateIf(i.bit(8), b), min, i.bit(5)));
      }
      case FCMP -> {
        float c =
            Float.intBitsToFloat(
                i.bit(5) ? Fp32.flush(operands.third(i, w, lane)) : operands.third(i, w, lane));
        boolean chosen = Fp32.compare(i.bits(58, 55), c, 0);
        w.set(i.dst(), lane, chosen ? w.get(i.src1(), lane) : operands.secondFloat(i, w, lane));
      }
      case RRO -> {
        int b = Fp32.absoluteIf(i.bit(6), operands.secondFloat(i, w, lane));
        finish(i, w, lane, Fp32.negateIf(i.bit(8), b));
      }
      case MUFU -> special(i, w, lane);
      case DADD -> {
        long b = Fp64.absoluteIf(i.bit(6), operands.secondDouble(i, w, lane));
        finishDouble(
            i, w, lane, Fp64.add(firstDouble(i, w, lane), Fp64.negateIf(i.bit(8), b), mode(i)));
      }
      case DMUL -> {
        long a = Fp64.negateIf(i.bit(9), w.getPair(i.src1(), lane));
        finishDouble(i, w, lane, Fp64.multiply(a, operands.secondDouble(i, w, lane), mode(i)));
      }
      case DFMA -> {
        long a = Fp64.negateIf(i.bit(9), w.getPair(i.src1(), lane));
        long c = Fp64.negateIf(i.bit(8), operands.thirdDouble(i, w, lane));
        finishDouble(i, w, lane, Fp64.fma(a, operands.secondDouble(i, w, lane), c, mode(i)));
      }
      case DMNMX -> {
        long b = Fp64.absoluteIf(i.bit(6), operands.secondDouble(i, w, lane));
        boolean min = PredicateUnit.source3(i, w, lane);
        finishDouble(
            i, w, lane, Fp64.minMax(firstDouble(i, w, lane), Fp64.negateIf(i.bit(8), b), min));
      }
      default -> throw new AssertionError(opcode);
    }
  }

  /** Whether FSET's or FSETP's comparison holds. */
  boolean compares(Instruction i, Warp w, int lane) {
    int a = first(i, w, lane);
    int b = Fp32.negateIf(i.bit(8), Fp32.absoluteIf(i.bit(6), operands.secondFloat(i, w, lane)));
    boolean ftz = i.bit(59);
    return Fp32.compare(
        i.bits(58, 55),
        Float.intBitsToFloat(ftz ? Fp32.flush(a) : a),
        Float.intBitsToFloat(ftz ? Fp32.flush(b) : b));
  }

  /** Whether DSET's or DSETP's comparison holds. */
  boolean comparesDouble(Instruction i, Warp w, int lane) {
    long b = Fp64.negateIf(i.bit(8), Fp64.absoluteIf(i.bit(6), operands.secondDouble(i, w, lane)));
    return Fp32.compare(
        i.bits(58, 55),
        Double.longBitsToDouble(firstDouble(i, w, lane)),
        Double.longBitsToDouble(b));
  }

  private static void fma(Instruction i, Warp w, int lane, int b, int c, Rounding rounding) {
    int a = Fp32.negateIf(i.bit(9), w.get(i.src1(), lane));
    int addend = Fp32.negateIf(i.bit(8), c);
    finish(i, w, lane, Fp32.fma(a, b, addend, rounding, i.bit(6), i.bit(7), i.bit(5)));
  }

  private static void special(Instruction i, Warp w, int lane) {
    int function = i.bits(28, 26);
    if (function >= 6) {
      int high = Fp32.negateIf(i.bit(9), Fp32.absoluteIf(i.bit(7), w.get(i.src1(), lane)));
      w.set(i.dst(), lane, Fp64.specialHigh(function, high));
      return;
    }
    w.set(i.dst(), lane, Fp32.special(function, first(i, w, lane), i.bit(5)));
  }

  /** The first operand with its modifiers: bit 9 negates, bit 7 takes the absolute value. */
  private static int first(Instruction i, Warp w, int lane) {
    return Fp32.negateIf(i.bit(9), Fp32.absoluteIf(i.bit(7), w.get(i.src1(), lane)));
  }

  private static long firstDouble(Instruction i, Warp w, int lane) {
    return Fp64.negateIf(i.bit(9), Fp64.absoluteIf(i.bit(7), w.getPair(i.src1(), lane)));
  }

  private static Rounding mode(Instruction i) {
    return Rounding.of(i.bits(56, 55));
  }

  private static void finish(Instruction i, Warp w, int lane, int result) {
    w.set(i.dst(), lane, result);
    if (i.writesCc()) {
      w.cc[lane] = ConditionCode.ofFloat(Float.intBitsToFloat(result));
    }
  }

  private static void finishDouble(Instruction i, Warp w, int lane, long result) {
    w.setPair(i.dst(), lane, result);
    if (i.writesCc()) {
      w.cc[lane] = ConditionCode.ofFloat(Double.longBitsToDouble(result));
    }
  }
}

package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.ConditionCode.CARRY;
import static io.sluice.gpu.sm.ConditionCode.OVERFLOW;
import static io.sluice.gpu.sm.ConditionCode.ZERO;

/** Integer arithmetic and logic of one lane. */
final class IntegerUnit {
  private final Operands operands;

  IntegerUnit(Operands operands) {
    this.operands = operands;
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    int a = w.get(i.src1(), lane);
    switch (opcode) {
      case IADD ->
          add(i, w, lane, a, operands.second(i, w, lane), i.bits(9, 8), i.bit(6), i.bit(5));
      case IADD32I -> add(i, w, lane, a, i.imm32(), i.bits(9, 8), i.bit(6), i.bit(5));
      case IMUL -> product(i, w, lane, a, operands.second(i, w, lane));
      case IMUL32I -> product(i, w, lane, a, i.imm32());
      case IMAD ->
          multiplyAdd(
              i, w, lane, a, operands.second(i, w, lane), operands.third(i, w, lane), i.bit(55));
      case IMAD32I -> multiplyAdd(i, w, lane, a, i.imm32(), w.get(i.dst(), lane), false);
      case ISCADD ->
          add(
              i,
              w,
              lane,
              a << i.bits(9, 5),
              operands.second(i, w, lane),
              i.bits(56, 55),
              false,
              false);
      case ISCADD32I -> add(i, w, lane, a << i.bits(9, 5), i.imm32(), 0, false, false);
      case SHL -> finish(i, w, lane, shiftLeft(i, a, operands.second(i, w, lane)));
      case SHR -> finish(i, w, lane, shiftRight(i, a, operands.second(i, w, lane)));
      case LOP -> finish(i, w, lane, logic(i, a, operands.second(i, w, lane)));
      case LOP32I -> finish(i, w, lane, logic(i, a, i.imm32()));
      case IMNMX -> finish(i, w, lane, minMax(i, w, lane, a, operands.second(i, w, lane)));
      case ICMP ->
          w.set(
              i.dst(),
              lane,
              compare(i, operands.third(i, w, lane), 0) ? a : operands.second(i, w, lane));
      case ISAD -> finish(i, w, lane, sumAbsoluteDifference(i, w, lane, a));
      case BFE -> finish(i, w, lane, extract(i, a, operands.second(i, w, lane)));
      case BFI ->
          finish(i, w, lane, insert(a, operands.second(i, w, lane), operands.third(i, w, lane)));
      case FLO -> finish(i, w, lane, highestBit(i, operands.second(i, w, lane)));
      case POPC ->
          finish(
              i,
              w,
              lane,
              Integer.bitCount(
                  invertIf(i.bit(9), a) & invertIf(i.bit(8), operands.second(i, w, lane))));
      case PRMT ->
          w.set(
              i.dst(),
              lane,
              permute(i.bits(7, 5), a, operands.second(i, w, lane), operands.third(i, w, lane)));
      default -> throw new AssertionError(opcode);
    }
  }

  /** Whether ISET's or ISETP's comparison holds; {@code .X} continues a 64-bit subtraction. */
  boolean compares(Instruction i, Warp w, int lane) {
    int a = w.get(i.src1(), lane);
    int b = operands.second(i, w, lane);
    if (!i.bit(6)) {
      return compare(i, a, b);
    }
    int cc = w.cc[lane];
    int borrow = (cc & CARRY) != 0 ? 0 : 1;
    boolean signed = i.bit(5);
    long difference =
        signed
            ? (long) a - b - borrow
            : Integer.toUnsignedLong(a) - Integer.toUnsignedLong(b) - borrow;
    boolean equal = (int) difference == 0 && (cc & ZERO) != 0;
    int relation = equal ? 2 : difference < 0 ? 1 : 4;
    return (i.bits(58, 55) & relation) != 0;
  }

  private static boolean compare(Instruction i, int a, int b) {
    int order = i.bit(5) ? Integer.compare(a, b) : Integer.compareUnsigned(a, b);
    return (i.bits(58, 55) & (order < 0 ? 1 : order == 0 ? 2 : 4)) != 0;
  }

  /** The addition that an operation field selects: a+b, a-b, b-a, or a+b+1. */
  private static void add(
      Instruction i,
      Warp w,
      int lane,
      int a,
      int b,
      int operation,
      boolean extended,
      boolean saturate) {
    int x = operation == 2 ? ~a : a;
    int y = operation == 1 ? ~b : b;
    int carry = operation == 0 ? 0 : 1;
    if (extended) {
      carry = (w.cc[lane] & CARRY) != 0 ? 1 : 0;
    }
    long unsigned = Integer.toUnsignedLong(x) + Integer.toUnsignedLong(y) + carry;
    long signed = (long) x + y + carry;
    int result = (int) unsigned;
    boolean overflow = signed != result;
    if (saturate && overflow) {
      result = signed < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
    }
    w.set(i.dst(), lane, result);
    if (i.writesCc()) {
      w.cc[lane] =
          ConditionCode.ofInteger(result)
              | (unsigned >>> 32 != 0 ? CARRY : 0)
              | (overflow ? OVERFLOW : 0);
    }
  }

  private static void product(Instruction i, Warp w, int lane, int a, int b) {
    finish(i, w, lane, multiply(i, a, b));
  }

  private static int multiply(Instruction i, int a, int b) {
    long product =
        (i.bit(7) ? a : Integer.toUnsignedLong(a)) * (i.bit(5) ? b : Integer.toUnsignedLong(b));
    return i.bit(6) ? (int) (product >>> 32) : (int) product;
  }

  private static void multiplyAdd(
      Instruction i, Warp w, int lane, int a, int b, int c, boolean extended) {
    boolean saturate = i.opcode() == Opcode.IMAD && i.bit(56);
    add(i, w, lane, multiply(i, a, b), c, i.bits(9, 8), extended, saturate);
  }

  private static int shiftLeft(Instruction i, int a, int count) {
    if (i.bit(9)) {
      return a << count;
    }
    return Integer.compareUnsigned(count, 32) >= 0 ? 0 : a << count;
  }

  private static int shiftRight(Instruction i, int value, int count) {
    int a = i.bit(8) ? Integer.reverse(value) : value;
    boolean signed = i.bit(5);
    int n = i.bit(9) ? count & 31 : count;
    if (Integer.compareUnsigned(n, 32) >= 0) {
      return signed ? a >> 31 : 0;
    }
    return signed ? a >> n : a >>> n;
  }

  private static int logic(Instruction i, int left, int right) {
    int a = invertIf(i.bit(9), left);
    int b = invertIf(i.bit(8), right);
    return switch (i.bits(7, 6)) {
      case 0 -> a & b;
      case 1 -> a | b;
      case 2 -> a ^ b;
      default -> b;
    };
  }

  private static int minMax(Instruction i, Warp w, int lane, int a, int b) {
    boolean min = PredicateUnit.source3(i, w, lane);
    if (i.bit(5)) {
      return min ? Math.min(a, b) : Math.max(a, b);
    }
    return (Integer.compareUnsigned(a, b) < 0) == min ? a : b;
  }

  private int sumAbsoluteDifference(Instruction i, Warp w, int lane, int a) {
    int b = operands.second(i, w, lane);
    boolean less = i.bit(5) ? a < b : Integer.compareUnsigned(a, b) < 0;
    return (less ? b - a : a - b) + operands.third(i, w, lane);
  }

  /** Bits of a field; a position or length beyond the word takes what there is. */
  private static int extract(Instruction i, int value, int field) {
    int a = i.bit(8) ? Integer.reverse(value) : value;
    int position = field & 0xff;
    int length = Math.min(field >>> 8 & 0xff, 32);
    if (length == 0) {
      return 0;
    }
    boolean signed = i.bit(5);
    if (position >= 32) {
      return signed ? a >> 31 : 0;
    }
    long wide = signed ? a : Integer.toUnsignedLong(a);
    long shifted = wide >> position;
    long mask = (1L << length) - 1;
    int result = (int) (shifted & mask);
    boolean negative = signed && (a >> Math.min(31, position + length - 1) & 1) != 0;
    return negative && length < 32 ? result | (int) ~mask : result;
  }

  private static int insert(int value, int field, int base) {
    int position = field & 0xff;
    int length = Math.min(field >>> 8 & 0xff, 32);
    if (position >= 32 || length == 0) {
      return base;
    }
    int mask = (int) ((1L << length) - 1) << position;
    return base & ~mask | value << position & mask;
  }

  private static int highestBit(Instruction i, int value) {
    int b = invertIf(i.bit(8), value);
    int considered = i.bit(5) && b < 0 ? ~b : b;
    if (considered == 0) {
      return -1;
    }
    int zeros = Integer.numberOfLeadingZeros(considered);
    return i.bit(6) ? zeros : 31 - zeros;
  }

  /** Picks four bytes out of eight; the modes derive the selection from its lowest two bits. */
  private static int permute(int mode, int a, int selector, int c) {
    long bytes = Integer.toUnsignedLong(a) | (long) c << 32;
    int s = selector & 3;
    int result = 0;
    for (int n = 0; n < 4; n++) {
      int pick =
          switch (mode) {
            case 0 -> selector >>> 4 * n & 0xf;
            case 1 -> s + n;
            case 2 -> s - n & 7;
            case 3 -> s;
            case 4 -> Math.max(s, n);
            case 5 -> Math.min(s, n);
            case 6 -> (s & 1) * 2 + (n & 1);
            default -> throw new WarpFault(WarpError.INVALID_PARAM);
          };
      int picked = (int) (bytes >>> 8 * (pick & 7)) & 0xff;
      if ((pick & 8) != 0) {
        picked = (byte) picked < 0 ? 0xff : 0;
      }
      result |= picked << 8 * n;
    }
    return result;
  }

  private static int invertIf(boolean invert, int value) {
    return invert ? ~value : value;
  }

  private static void finish(Instruction i, Warp w, int lane, int result) {
    w.set(i.dst(), lane, result);
    if (i.writesCc()) {
      w.cc[lane] = ConditionCode.ofInteger(result);
    }
  }
}

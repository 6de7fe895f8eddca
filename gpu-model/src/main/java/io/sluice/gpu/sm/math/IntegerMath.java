package io.sluice.gpu.sm.math;

import static io.sluice.gpu.sm.isa.ConditionCode.CARRY;
import static io.sluice.gpu.sm.isa.ConditionCode.OVERFLOW;
import static io.sluice.gpu.sm.isa.ConditionCode.ZERO;
import static io.sluice.gpu.sm.isa.Instruction.bit;
import static io.sluice.gpu.sm.isa.Instruction.bits;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.isa.ConditionCode;

/**
 * Integer arithmetic and logic: pure functions of an instruction word, which carries the modifiers,
 * and of operand values. The interpreter and compiled programs both end up here.
 */
public final class IntegerMath {
  private static final int ADD = 0;
  private static final int SUBTRACT = 1;
  private static final int SUBTRACT_REVERSED = 2;

  private IntegerMath() {}

  // ---- sums ----

  /**
   * The addition that an operation field selects: a+b, a-b, b-a, or a+b+1.
   *
   * @param extended continue a longer sum: the carry comes from the condition code
   */
  private static int sum(int operation, boolean extended, boolean saturate, int a, int b, int cc) {
    int x = operation == SUBTRACT_REVERSED ? ~a : a;
    int y = operation == SUBTRACT ? ~b : b;
    int result = x + y + carryIn(operation, extended, cc);
    // Overflow: the operands have one sign and the result the other.
    boolean overflow = ((x ^ result) & (y ^ result)) < 0;
    return saturate && overflow ? (x < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE) : result;
  }

  /** {@link ConditionCode#CARRY} when a sum carries, otherwise 0. */
  private static int sumCarry(int operation, boolean extended, int a, int b, int cc) {
    int x = operation == SUBTRACT_REVERSED ? ~a : a;
    int y = operation == SUBTRACT ? ~b : b;
    long sum =
        Integer.toUnsignedLong(x) + Integer.toUnsignedLong(y) + carryIn(operation, extended, cc);
    return (int) (sum >>> 32) * CARRY;
  }

  /** {@link ConditionCode#OVERFLOW} when a sum does not fit, otherwise 0. */
  private static int sumOverflow(int operation, boolean extended, int a, int b, int cc) {
    int x = operation == SUBTRACT_REVERSED ? ~a : a;
    int y = operation == SUBTRACT ? ~b : b;
    int result = x + y + carryIn(operation, extended, cc);
    return ((x ^ result) & (y ^ result)) < 0 ? OVERFLOW : 0;
  }

  private static int carryIn(int operation, boolean extended, int cc) {
    if (extended) {
      return (cc & CARRY) != 0 ? 1 : 0;
    }
    return operation == ADD ? 0 : 1;
  }

  /** IADD, IADD32I. */
  public static int add(long w, int a, int b, int cc) {
    return sum(bits(w, 9, 8), bit(w, 6), bit(w, 5), a, b, cc);
  }

  /** Carry of {@link #add}. */
  public static int addCarry(long w, int a, int b, int cc) {
    return sumCarry(bits(w, 9, 8), bit(w, 6), a, b, cc);
  }

  /** Overflow of {@link #add}. */
  public static int addOverflow(long w, int a, int b, int cc) {
    return sumOverflow(bits(w, 9, 8), bit(w, 6), a, b, cc);
  }

  /** ISCADD. */
  public static int shiftAdd(long w, int a, int b) {
    return sum(bits(w, 56, 55), false, false, a << bits(w, 9, 5), b, 0);
  }

  /** Carry of {@link #shiftAdd}. */
  public static int shiftAddCarry(long w, int a, int b) {
    return sumCarry(bits(w, 56, 55), false, a << bits(w, 9, 5), b, 0);
  }

  /** Overflow of {@link #shiftAdd}. */
  public static int shiftAddOverflow(long w, int a, int b) {
    return sumOverflow(bits(w, 56, 55), false, a << bits(w, 9, 5), b, 0);
  }

  /** ISCADD32I. */
  public static int shiftAddImmediate(long w, int a, int b) {
    return (a << bits(w, 9, 5)) + b;
  }

  /** Carry of {@link #shiftAddImmediate}. */
  public static int shiftAddImmediateCarry(long w, int a, int b) {
    return sumCarry(ADD, false, a << bits(w, 9, 5), b, 0);
  }

  /** Overflow of {@link #shiftAddImmediate}. */
  public static int shiftAddImmediateOverflow(long w, int a, int b) {
    return sumOverflow(ADD, false, a << bits(w, 9, 5), b, 0);
  }

  // ---- products ----

  /** IMUL, IMUL32I: bit 6 takes the upper half, bits 7 and 5 are the operands' signs. */
  public static int multiply(long w, int a, int b) {
    if (!bit(w, 6)) {
      return a * b;
    }
    long x = bit(w, 7) ? a : Integer.toUnsignedLong(a);
    long y = bit(w, 5) ? b : Integer.toUnsignedLong(b);
    return (int) (x * y >>> 32);
  }

  /** IMAD. */
  public static int multiplyAdd(long w, int a, int b, int c, int cc) {
    return sum(bits(w, 9, 8), bit(w, 55), bit(w, 56), multiply(w, a, b), c, cc);
  }

  /** Carry of {@link #multiplyAdd}. */
  public static int multiplyAddCarry(long w, int a, int b, int c, int cc) {
    return sumCarry(bits(w, 9, 8), bit(w, 55), multiply(w, a, b), c, cc);
  }

  /** Overflow of {@link #multiplyAdd}. */
  public static int multiplyAddOverflow(long w, int a, int b, int c, int cc) {
    return sumOverflow(bits(w, 9, 8), bit(w, 55), multiply(w, a, b), c, cc);
  }

  /** IMAD32I. */
  public static int multiplyAddImmediate(long w, int a, int b, int c) {
    return sum(bits(w, 9, 8), false, false, multiply(w, a, b), c, 0);
  }

  /** Carry of {@link #multiplyAddImmediate}. */
  public static int multiplyAddImmediateCarry(long w, int a, int b, int c) {
    return sumCarry(bits(w, 9, 8), false, multiply(w, a, b), c, 0);
  }

  /** Overflow of {@link #multiplyAddImmediate}. */
  public static int multiplyAddImmediateOverflow(long w, int a, int b, int c) {
    return sumOverflow(bits(w, 9, 8), false, multiply(w, a, b), c, 0);
  }

  /** ISAD: c plus the distance of a and b. */
  public static int sumAbsoluteDifference(long w, int a, int b, int c) {
    boolean less = bit(w, 5) ? a < b : Integer.compareUnsigned(a, b) < 0;
    return (less ? b - a : a - b) + c;
  }

  // ---- shifts and bits ----

  /** SHL: bit 9 takes the count modulo 32, otherwise 32 and more give 0. */
  public static int shiftLeft(long w, int a, int count) {
    return bit(w, 9) || Integer.compareUnsigned(count, 32) < 0 ? a << count : 0;
  }

  /** SHR: bit 5 signed, bit 8 reverses the bits first, bit 9 as in SHL. */
  public static int shiftRight(long w, int value, int count) {
    int a = bit(w, 8) ? Integer.reverse(value) : value;
    boolean inRange = bit(w, 9) || Integer.compareUnsigned(count, 32) < 0;
    if (bit(w, 5)) {
      return a >> (inRange ? count : 31);
    }
    return inRange ? a >>> count : 0;
  }

  /** LOP, LOP32I. */
  public static int logic(long w, int left, int right) {
    int a = invertIf(bit(w, 9), left);
    int b = invertIf(bit(w, 8), right);
    return switch (bits(w, 7, 6)) {
      case 0 -> a & b;
      case 1 -> a | b;
      case 2 -> a ^ b;
      default -> b;
    };
  }

  /**
   * BFE: bits of a field (position in bits 7:0, length in 15:8). Beyond the word stands the sign,
   * or 0.
   */
  public static int extract(long w, int value, int field) {
    int a = bit(w, 8) ? Integer.reverse(value) : value;
    int position = field & 0xff;
    int length = Math.min(field >>> 8 & 0xff, 32);
    if (length == 0) {
      return 0;
    }
    boolean signed = bit(w, 5);
    long wide = signed ? a : Integer.toUnsignedLong(a);
    int shifted = (int) (wide >> Math.min(position, 63));
    int unused = 32 - length;
    return signed ? shifted << unused >> unused : shifted << unused >>> unused;
  }

  /** BFI: puts the low bits of a value into a field of a base. */
  public static int insert(int value, int field, int base) {
    int position = field & 0xff;
    int length = Math.min(field >>> 8 & 0xff, 32);
    if (position >= 32 || length == 0) {
      return base;
    }
    int mask = (int) ((1L << length) - 1) << position;
    return base & ~mask | value << position & mask;
  }

  /**
   * FLO: the highest bit set, or the highest that differs from the sign; -1 when there is none. Bit
   * 8 inverts the operand first, bit 6 gives the distance from bit 31 instead.
   */
  public static int highestBit(long w, int value) {
    int b = invertIf(bit(w, 8), value);
    int considered = bit(w, 5) && b < 0 ? ~b : b;
    if (considered == 0) {
      return -1;
    }
    int zeros = Integer.numberOfLeadingZeros(considered);
    return bit(w, 6) ? zeros : 31 - zeros;
  }

  /** POPC of both operands' common bits. */
  public static int populationCount(long w, int a, int b) {
    return Integer.bitCount(invertIf(bit(w, 9), a) & invertIf(bit(w, 8), b));
  }

  /**
   * PRMT: picks four bytes out of eight. Mode 0 has a selector for each, whose bit 3 replicates the
   * byte's sign; the others derive all four from the selector's lowest two bits.
   */
  public static int permute(long w, int a, int selector, int c) {
    long bytes = Integer.toUnsignedLong(a) | (long) c << 32;
    int s = selector & 3;
    int result = 0;
    for (int n = 0; n < 4; n++) {
      int pick =
          switch (bits(w, 7, 5)) {
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
        picked = picked >= 0x80 ? 0xff : 0;
      }
      result |= picked << 8 * n;
    }
    return result;
  }

  // ---- comparisons ----

  /** ISETP, ISET, ICMP: bits 58:55 say what holds, bit 5 signed. */
  public static boolean compare(long w, int a, int b) {
    int order = bit(w, 5) ? Integer.compare(a, b) : Integer.compareUnsigned(a, b);
    return (bits(w, 58, 55) & (order < 0 ? 1 : order == 0 ? 2 : 4)) != 0;
  }

  /**
   * ISETP.X, ISET.X: the upper words of a comparison whose lower words were subtracted before, so
   * that carry means no borrow and zero means equal.
   */
  public static boolean compareExtended(long w, int a, int b, int cc) {
    int borrow = (cc & CARRY) != 0 ? 0 : 1;
    long difference =
        bit(w, 5)
            ? (long) a - b - borrow
            : Integer.toUnsignedLong(a) - Integer.toUnsignedLong(b) - borrow;
    boolean equal = difference == 0 && (cc & ZERO) != 0;
    return (bits(w, 58, 55) & (equal ? 2 : difference < 0 ? 1 : 4)) != 0;
  }

  /** IMNMX. */
  public static int minMax(long w, int a, int b, boolean min) {
    boolean less = bit(w, 5) ? a < b : Integer.compareUnsigned(a, b) < 0;
    return less == min ? a : b;
  }

  private static int invertIf(boolean invert, int value) {
    return invert ? ~value : value;
  }
}

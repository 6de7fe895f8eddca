package io.sluice.gpu.sm.math;

import static io.sluice.gpu.sm.isa.Instruction.bit;
import static io.sluice.gpu.sm.isa.Instruction.bits;

import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;

/**
 * Arithmetic of the video instructions: on bytes, halves and words of two operands, without a
 * bound, then clamped if asked, and combined with a third operand. Pure functions of an instruction
 * word, as {@link IntegerMath} has them; the PTX ISA describes what they do.
 *
 * <pre>
 *  63 59|57  55|54 49|47      |46  44|42   |41 34..32 26|25 20|19 14|9  |8 7 |6      |5
 *   op  | dest | c   |b is reg| part | sign|  b, part   | a   | dst |sat| sub|a sign |b sign
 * </pre>
 */
public final class VideoMath {
  // Bits 63:59.
  private static final int MIN_MAX = 0x19;
  private static final int DIFFERENCE = 0x1a;
  private static final int SET = 0x1b;
  private static final int SHIFT_RIGHT = 0x1c;
  private static final int SHIFT_LEFT = 0x1d;
  private static final int MULTIPLY_ADD = 0x1e;

  // What a result becomes part of, or is combined with.
  private static final int UPPER_HALF = 0;
  private static final int LOWER_HALF = 1;
  private static final int BYTE_0 = 2;
  private static final int BYTE_2 = 3;
  private static final int ADD = 4;
  private static final int MIN = 5;
  private static final int MAX = 6;

  /** The result alone: the third operand is not used. */
  static final int PLAIN = 7;

  // Parts of an operand: bytes 0 to 3, halves 4 and 5, the word.
  private static final int HALF_PART = 4;
  private static final int WORD_PART = 6;
  private static final int LARGEST_SCALE = 2;

  /** Larger than any range, with 32 lower bits of 0. */
  private static final long BEYOND = 1L << 40;

  private VideoMath() {}

  /** Whether the second operand is a register, otherwise it is in the instruction. */
  public static boolean hasSecondRegister(Instruction i) {
    return i.bit(47);
  }

  /** Whether the third operand has a say. */
  public static boolean usesThird(Instruction i) {
    return switch (i.form()) {
      case VMAD -> true;
      case VSETP -> false;
      default -> i.bits(57, 55) != PLAIN;
    };
  }

  /** Whether we know what a word of a video form does. */
  public static boolean exists(Opcode opcode, Instruction i) {
    boolean parts =
        i.bits(46, 44) <= WORD_PART && (!hasSecondRegister(i) || i.bits(34, 32) <= WORD_PART);
    return parts
        && switch (opcode) {
          case VMNMX -> !i.bit(48) && !i.bit(8);
          case VABSDIFF -> !i.bit(48) && i.bits(8, 7) == 0;
          case VSET -> !i.bit(48) && !i.bit(42);
          case VSHL, VSHR -> !i.bit(48) && !i.bit(8) && !i.bit(5);
          case VMAD -> !i.bit(48) && i.bits(56, 55) <= LARGEST_SCALE && !i.bit(57);
          default -> !i.bit(48);
        };
  }

  /** All but VSETP. */
  public static int compute(long w, int a, int b, int c) {
    long x = first(w, a);
    long y = second(w, b);
    return switch (bits(w, 63, 59)) {
      case MULTIPLY_ADD -> multiplyAdd(w, x, y, c);
      case SET -> combine(w, compares(w, x, y) ? 1 : 0, c);
      default -> combine(w, saturate(w, primary(w, x, y)), c);
    };
  }

  /** Whether VSETP's comparison holds. */
  public static boolean compares(long w, int a, int b) {
    return compares(w, first(w, a), second(w, b));
  }

  private static boolean compares(long w, long x, long y) {
    return (bits(w, 9, 7) >> Long.compare(x, y) + 1 & 1) != 0;
  }

  private static long first(long w, int a) {
    return part(a, bits(w, 46, 44), bit(w, 6));
  }

  /** A half in the instruction, or a part of a register. */
  private static long second(long w, int b) {
    return part(b, bit(w, 47) ? bits(w, 34, 32) : HALF_PART, bit(w, 5));
  }

  private static long part(int value, int part, boolean signed) {
    int bits = part < HALF_PART ? Byte.SIZE : part < WORD_PART ? Short.SIZE : Integer.SIZE;
    int index = part < HALF_PART ? part : part < WORD_PART ? part - HALF_PART : 0;
    int shift = index * bits;
    int top = value << Integer.SIZE - bits - shift;
    return signed
        ? top >> Integer.SIZE - bits
        : Integer.toUnsignedLong(top >>> Integer.SIZE - bits);
  }

  private static long primary(long w, long x, long y) {
    return switch (bits(w, 63, 59)) {
      case SHIFT_RIGHT -> x >> count(w, y);
      case SHIFT_LEFT -> shiftLeft(x, count(w, y));
      case MIN_MAX -> bit(w, 7) ? Math.max(x, y) : Math.min(x, y);
      case DIFFERENCE -> Math.abs(x - y);
      default ->
          switch (bits(w, 8, 7)) {
            case 0 -> x + y;
            case 1 -> x - y;
            case 2 -> y - x;
            default -> x + y + 1;
          };
    };
  }

  private static int count(long w, long y) {
    return bit(w, 7) ? (int) y & Integer.SIZE - 1 : (int) Math.min(y, Integer.SIZE);
  }

  private static long shiftLeft(long x, int count) {
    return count == Integer.SIZE ? Long.signum(x) * BEYOND : x << count;
  }

  /** Clamps a result to the range of where it goes. */
  private static long saturate(long w, long value) {
    if (!bit(w, 9)) {
      return value;
    }
    int bits =
        switch (bits(w, 57, 55)) {
          case UPPER_HALF, LOWER_HALF -> Short.SIZE;
          case BYTE_0, BYTE_2 -> Byte.SIZE;
          default -> Integer.SIZE;
        };
    boolean signed = bit(w, 42);
    long least = signed ? -1L << bits - 1 : 0;
    return Math.clamp(value, least, least + (1L << bits) - 1);
  }

  private static int combine(long w, long value, int c) {
    int low = (int) value;
    long wide = bit(w, 42) ? c : Integer.toUnsignedLong(c);
    return switch (bits(w, 57, 55)) {
      case UPPER_HALF -> low << 16 | c & 0xffff;
      case LOWER_HALF -> low & 0xffff | c & 0xffff0000;
      case BYTE_0 -> low & 0xff | c & 0xffffff00;
      case BYTE_2 -> (low & 0xff) << 16 | c & 0xff00ffff;
      case ADD -> low + c;
      case MIN -> (int) Math.min(value, wide);
      case MAX -> (int) Math.max(value, wide);
      default -> low;
    };
  }

  /** ab + c, ab - c, c - ab, or ab + c + 1; in 128 bits, of which 66 are needed. */
  private static int multiplyAdd(long w, long x, long y, int c) {
    int operation = bits(w, 8, 7);
    boolean signed = bit(w, 6) || bit(w, 5) || operation == 2;
    long low = x * y;
    long high = Math.multiplyHigh(x, y);
    if (operation == 2) {
      low = -low;
      high = ~high + (low == 0 ? 1 : 0);
    }
    long wide = signed ? c : Integer.toUnsignedLong(c);
    long addend = operation == 1 ? -wide : operation == 3 ? wide + 1 : wide;
    long sum = low + addend;
    high += (addend >> 63) + (Long.compareUnsigned(sum, low) < 0 ? 1 : 0);
    int scale =
        switch (bits(w, 56, 55)) {
          case 0 -> 0;
          case 1 -> 7;
          default -> 15;
        };
    if (scale != 0) {
      sum = sum >>> scale | high << Long.SIZE - scale;
      high >>= scale;
    }
    return bit(w, 9) ? saturate(signed || operation == 1, high, sum) : (int) sum;
  }

  private static int saturate(boolean signed, long high, long low) {
    if (signed) {
      boolean fits = high == low >> 63 && low == (int) low;
      return fits ? (int) low : high < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
    }
    return high == 0 && low >>> Integer.SIZE == 0 ? (int) low : high < 0 ? 0 : -1;
  }
}

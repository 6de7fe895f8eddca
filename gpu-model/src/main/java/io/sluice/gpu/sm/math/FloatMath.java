package io.sluice.gpu.sm.math;

import static io.sluice.gpu.sm.isa.Instruction.bit;
import static io.sluice.gpu.sm.isa.Instruction.bits;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;

/**
 * Floating point as instructions ask for it: pure functions of an instruction word, which carries
 * the modifiers, and of operand bits. {@link Fp32} and {@link Fp64} do the arithmetic.
 */
public final class FloatMath {
  private static final int FIRST_64_BIT_FUNCTION = 6;

  private FloatMath() {}

  /** The first operand with its modifiers: bit 9 negates, bit 7 takes the absolute value. */
  private static int first(long w, int a) {
    return Fp32.negateIf(bit(w, 9), Fp32.absoluteIf(bit(w, 7), a));
  }

  /** The second operand with its modifiers: bit 8 negates, bit 6 takes the absolute value. */
  private static int second(long w, int b) {
    return Fp32.negateIf(bit(w, 8), Fp32.absoluteIf(bit(w, 6), b));
  }

  private static long first(long w, long a) {
    return Fp64.negateIf(bit(w, 9), Fp64.absoluteIf(bit(w, 7), a));
  }

  private static long second(long w, long b) {
    return Fp64.negateIf(bit(w, 8), Fp64.absoluteIf(bit(w, 6), b));
  }

  private static Rounding mode(long w) {
    return Rounding.of(bits(w, 56, 55));
  }

  // ---- single precision ----

  public static int add(long w, int a, int b) {
    return Fp32.add(first(w, a), second(w, b), mode(w), bit(w, 5), bit(w, 49));
  }

  public static int addImmediate(long w, int a, int b) {
    return Fp32.add(first(w, a), b, Rounding.RN, bit(w, 5), false);
  }

  /** FMUL: bits 51:49 scale the product by a power of two. */
  public static int multiply(long w, int a, int b) {
    int x = Fp32.negateIf(bit(w, 57), a);
    float scale = scale(bits(w, 51, 49));
    return Fp32.multiply(x, b, scale, mode(w), bit(w, 6), bit(w, 7), bit(w, 5));
  }

  public static int multiplyImmediate(long w, int a, int b) {
    return Fp32.multiply(a, b, 1f, Rounding.RN, bit(w, 6), bit(w, 7), bit(w, 5));
  }

  private static float scale(int encoding) {
    return switch (encoding) {
      case 0 -> 1f;
      case 1 -> 0.5f;
      case 2 -> 0.25f;
      case 3 -> 0.125f;
      case 4 -> 8f;
      case 5 -> 4f;
      case 6 -> 2f;
      default -> throw new WarpFault(WarpError.INVALID_PARAM);
    };
  }

  public static int fma(long w, int a, int b, int c) {
    return fma(w, a, b, c, mode(w));
  }

  public static int fmaImmediate(long w, int a, int b, int c) {
    return fma(w, a, b, c, Rounding.RN);
  }

  private static int fma(long w, int a, int b, int c, Rounding rounding) {
    int x = Fp32.negateIf(bit(w, 9), a);
    int z = Fp32.negateIf(bit(w, 8), c);
    return Fp32.fma(x, b, z, rounding, bit(w, 6), bit(w, 7), bit(w, 5));
  }

  public static int minMax(long w, int a, int b, boolean min) {
    return Fp32.minMax(first(w, a), second(w, b), min, bit(w, 5));
  }

  /** FCMP: whether the third operand compares with 0 as asked, so that the first is chosen. */
  public static boolean chooses(long w, int c) {
    float value = Float.intBitsToFloat(bit(w, 5) ? Fp32.flush(c) : c);
    return Fp32.compare(bits(w, 58, 55), value, 0);
  }

  /** RRO: range reduction is part of MUFU here, so the operand passes. */
  public static int reduceRange(long w, int b) {
    return second(w, b);
  }

  public static int special(long w, int a) {
    int function = bits(w, 28, 26);
    int x = first(w, a);
    return function >= FIRST_64_BIT_FUNCTION
        ? Fp64.specialHigh(function, x)
        : Fp32.special(function, x, bit(w, 5));
  }

  /** Whether FSET's or FSETP's comparison holds. */
  public static boolean compare(long w, int a, int b) {
    int x = first(w, a);
    int y = second(w, b);
    boolean ftz = bit(w, 59);
    return Fp32.compare(
        bits(w, 58, 55),
        Float.intBitsToFloat(ftz ? Fp32.flush(x) : x),
        Float.intBitsToFloat(ftz ? Fp32.flush(y) : y));
  }

  // ---- double precision ----

  public static long add64(long w, long a, long b) {
    return Fp64.add(first(w, a), second(w, b), mode(w));
  }

  public static long multiply64(long w, long a, long b) {
    return Fp64.multiply(Fp64.negateIf(bit(w, 9), a), b, mode(w));
  }

  public static long fma64(long w, long a, long b, long c) {
    return Fp64.fma(Fp64.negateIf(bit(w, 9), a), b, Fp64.negateIf(bit(w, 8), c), mode(w));
  }

  public static long minMax64(long w, long a, long b, boolean min) {
    return Fp64.minMax(first(w, a), second(w, b), min);
  }

  /** Whether DSET's or DSETP's comparison holds. */
  public static boolean compare64(long w, long a, long b) {
    return Fp32.compare(
        bits(w, 58, 55),
        Double.longBitsToDouble(first(w, a)),
        Double.longBitsToDouble(second(w, b)));
  }
}

package io.sluice.gpu.sm.math;

import static io.sluice.gpu.sm.isa.Instruction.bit;
import static io.sluice.gpu.sm.isa.Instruction.bits;

import io.sluice.gpu.sm.isa.ConditionCode;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import java.math.BigDecimal;

/**
 * Conversions between number formats: pure functions of an instruction word and of operand values.
 * Bits 21:20 of the word are log2 of the target's bytes, bits 24:23 of the source's, bit 8 negates,
 * bit 6 takes the absolute value, bits 50:49 are the rounding.
 */
public final class ConversionMath {
  private static final int SIZE_8 = 0;
  private static final int SIZE_16 = 1;
  private static final int SIZE_32 = 2;
  private static final int SIZE_64 = 3;

  /** Every NaN of half precision. */
  private static final int HALF_NAN = 0x7fff;

  private ConversionMath() {}

  /** Whether the target is a register pair. */
  public static boolean writesPair(Instruction i) {
    return i.bits(21, 20) == SIZE_64;
  }

  /** Whether the source is a register pair. */
  public static boolean readsPair(Instruction i) {
    return i.bits(24, 23) == SIZE_64;
  }

  /** Bytes of the source. */
  public static int sourceBytes(Instruction i) {
    return 1 << i.bits(24, 23);
  }

  /**
   * Whether there is such a conversion: integers of 8 bits have none from floats, floats of 8 bits
   * do not exist, F2F has no 16 to 64 bits or back, and I2I takes at most 32 bits.
   */
  public static boolean exists(Opcode opcode, Instruction i) {
    int to = i.bits(21, 20);
    int from = i.bits(24, 23);
    return switch (opcode) {
      case F2F -> to != SIZE_8 && from != SIZE_8 && Math.abs(to - from) < 2;
      case F2I -> to != SIZE_8 && from != SIZE_8;
      case I2F -> to != SIZE_8;
      case I2I -> from != SIZE_64;
      default -> throw new AssertionError(opcode);
    };
  }

  // ---- from floats ----

  /** A float source as a double: {@code bits} holds 16, 32 or 64 of them. */
  private static double floatSource(long w, long bits) {
    double value =
        switch (bits(w, 24, 23)) {
          case SIZE_16 -> Float.float16ToFloat((short) (bit(w, 56) ? bits >>> 16 : bits));
          case SIZE_32 -> Float.intBitsToFloat(bit(w, 55) ? Fp32.flush((int) bits) : (int) bits);
          default -> Double.longBitsToDouble(bits);
        };
    double magnitude = bit(w, 6) ? Math.abs(value) : value;
    return bit(w, 8) ? -magnitude : magnitude;
  }

  /** F2F: bit 7 rounds to an integral value; the result is in the lower bits. */
  public static long floatToFloat(long w, long source) {
    Rounding rounding = Rounding.of(bits(w, 50, 49));
    double value = floatSource(w, source);
    if (bit(w, 7)) {
      value = rounding.toIntegral(value);
    }
    return switch (bits(w, 21, 20)) {
      case SIZE_16 -> half(toFloat(saturated(w, value), rounding));
      case SIZE_32 ->
          Integer.toUnsignedLong(Fp32.result(toFloat(value, rounding), bit(w, 55), bit(w, 5)));
      default -> Fp64.result(saturated(w, value));
    };
  }

  /** The bits of the nearest half; one NaN. */
  private static int half(float value) {
    return Float.isNaN(value) ? HALF_NAN : Float.floatToFloat16(value) & 0xffff;
  }

  private static double saturated(long w, double value) {
    if (!bit(w, 5)) {
      return value;
    }
    return value > 0 ? Math.min(value, 1) : 0;
  }

  private static float toFloat(double value, Rounding rounding) {
    return rounding == Rounding.RN || !Double.isFinite(value)
        ? (float) value
        : rounding.toFloat(value, 0, (float) value);
  }

  /** F2I: rounded, then clamped to the target; NaN becomes 0. Bit 7 is the target's sign. */
  public static long floatToInteger(long w, long source) {
    double value = Rounding.of(bits(w, 50, 49)).toIntegral(floatSource(w, source));
    boolean signed = bit(w, 7);
    return switch (bits(w, 21, 20)) {
      case SIZE_16 ->
          signed
              ? (int) Math.clamp(value, Short.MIN_VALUE, Short.MAX_VALUE) & 0xffff_ffffL
              : (int) Math.clamp(value, 0, 0xffff);
      case SIZE_32 -> Integer.toUnsignedLong(signed ? (int) value : toUnsigned32(value));
      default -> signed ? (long) value : toUnsigned64(value);
    };
  }

  /** As Java's casts do: what is out of range becomes the nearest end, NaN becomes 0. */
  private static int toUnsigned32(double value) {
    return value >= 0x1p32 ? -1 : value > 0 ? (int) (long) value : 0;
  }

  private static long toUnsigned64(double value) {
    if (!(value > 0)) {
      return 0;
    }
    if (value >= 0x1p64) {
      return -1;
    }
    return value >= 0x1p63 ? (long) (value - 0x1p63) | Long.MIN_VALUE : (long) value;
  }

  // ---- from integers ----

  /** An integer source of 1 to 8 bytes: bit 9 is its sign, bits 56:55 pick a part of the word. */
  private static long integerSource(long w, long source) {
    boolean signed = bit(w, 9);
    int part = bits(w, 56, 55);
    int word = (int) source;
    return switch (bits(w, 24, 23)) {
      case SIZE_8 -> signed ? (byte) (word >>> 8 * part) : word >>> 8 * part & 0xff;
      case SIZE_16 ->
          signed ? (short) (word >>> 16 * (part >> 1)) : word >>> 16 * (part >> 1) & 0xffff;
      case SIZE_32 -> signed ? word : Integer.toUnsignedLong(word);
      default -> source;
    };
  }

  /** I2F: exact, then one rounding. */
  public static long integerToFloat(long w, long source) {
    Rounding rounding = Rounding.of(bits(w, 50, 49));
    long value = integerSource(w, source);
    if (bits(w, 24, 23) == SIZE_64) {
      return wideToFloat(w, rounding, value);
    }
    long magnitude = bit(w, 6) ? Math.abs(value) : value;
    long exact = bit(w, 8) ? -magnitude : magnitude;
    return switch (bits(w, 21, 20)) {
      case SIZE_16 -> half(toFloat(exact, rounding));
      case SIZE_32 -> Integer.toUnsignedLong(Float.floatToRawIntBits(toFloat(exact, rounding)));
      default -> Double.doubleToRawLongBits(exact);
    };
  }

  private static long wideToFloat(long w, Rounding rounding, long value) {
    BigDecimal exact =
        bit(w, 9) ? BigDecimal.valueOf(value) : new BigDecimal(Long.toUnsignedString(value));
    exact = bit(w, 6) ? exact.abs() : exact;
    exact = bit(w, 8) ? exact.negate() : exact;
    return switch (bits(w, 21, 20)) {
      case SIZE_16 -> half(rounding.toFloat(exact, 0f));
      case SIZE_32 -> Integer.toUnsignedLong(Float.floatToRawIntBits(rounding.toFloat(exact, 0f)));
      default -> Double.doubleToRawLongBits(rounding.toDouble(exact, 0d));
    };
  }

  /** I2I: bit 5 clamps to the target, otherwise its bits are cut off; bit 7 is its sign. */
  public static long integerToInteger(long w, long source) {
    long value = integerSource(w, source);
    long magnitude = bit(w, 6) ? Math.abs(value) : value;
    long result = bit(w, 8) ? -magnitude : magnitude;
    int size = bits(w, 21, 20);
    if (size == SIZE_64) {
      return result;
    }
    int width = 8 << size;
    boolean signed = bit(w, 7);
    if (bit(w, 5)) {
      long least = signed ? -(1L << width - 1) : 0;
      long most = signed ? (1L << width - 1) - 1 : (1L << width) - 1;
      result = Math.clamp(result, least, most);
    }
    int cut = 64 - width;
    long kept = signed ? result << cut >> cut : result << cut >>> cut;
    return kept & 0xffff_ffffL;
  }

  // ---- condition codes ----

  /** Condition code of a result of F2F or I2F. */
  public static int floatFlags(long result, long w) {
    return switch (bits(w, 21, 20)) {
      case SIZE_16 ->
          ConditionCode.ofFloat(Float.floatToRawIntBits(Float.float16ToFloat((short) result)));
      case SIZE_32 -> ConditionCode.ofFloat((int) result);
      default -> ConditionCode.ofDouble(result);
    };
  }

  /** Condition code of a result of F2I or I2I. */
  public static int integerFlags(long result, long w) {
    if (bits(w, 21, 20) != SIZE_64) {
      return ConditionCode.ofInteger((int) result);
    }
    return (result == 0 ? ConditionCode.ZERO : 0) | (result < 0 ? ConditionCode.SIGN : 0);
  }
}

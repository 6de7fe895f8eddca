package io.sluice.gpu.sm;

/** Conversions between number formats, and moves, of one lane. */
final class ConversionUnit {
  private static final int ALL_BYTES = 0xf;
  private static final int F16 = 1;
  private static final int F64 = 3;

  private final Operands operands;

  ConversionUnit(Operands operands) {
    this.operands = operands;
  }

  void execute(Opcode opcode, Instruction i, Warp w, int lane) {
    switch (opcode) {
      case F2F -> floatToFloat(i, w, lane);
      case F2I -> floatToInteger(i, w, lane);
      case I2F -> integerToFloat(i, w, lane);
      case I2I -> integerToInteger(i, w, lane);
      case MOV -> move(i, w, lane, operands.second(i, w, lane));
      case MOV32I -> move(i, w, lane, i.imm32());
      default -> throw new AssertionError(opcode);
    }
  }

  /** A move writes the bytes that its lane field names. */
  private static void move(Instruction i, Warp w, int lane, int value) {
    int bytes = i.bits(8, 5);
    if (bytes == ALL_BYTES) {
      w.set(i.dst(), lane, value);
      return;
    }
    int mask = 0;
    for (int n = 0; n < 4; n++) {
      mask |= (bytes >>> n & 1) != 0 ? 0xff << 8 * n : 0;
    }
    w.set(i.dst(), lane, w.get(i.dst(), lane) & ~mask | value & mask);
  }

  private double source(Instruction i, Warp w, int lane) {
    double value =
        switch (i.bits(24, 23)) {
          case F16 -> {
            int word = operands.second(i, w, lane);
            yield Float.float16ToFloat((short) (i.bit(56) ? word >>> 16 : word));
          }
          case F64 -> Double.longBitsToDouble(operands.secondDouble(i, w, lane));
          case 2 -> {
            int bits = operands.secondFloat(i, w, lane);
            yield Float.intBitsToFloat(i.bit(55) ? Fp32.flush(bits) : bits);
          }
          default -> throw new WarpFault(WarpError.INVALID_OPCODE);
        };
    double magnitude = i.bit(6) ? Math.abs(value) : value;
    return i.bit(8) ? -magnitude : magnitude;
  }

  private void floatToFloat(Instruction i, Warp w, int lane) {
    Rounding rounding = Rounding.of(i.bits(50, 49));
    double value = source(i, w, lane);
    if (i.bit(7)) {
      value = rounding.toIntegral(value);
    }
    switch (i.bits(21, 20)) {
      case F16 -> w.set(i.dst(), lane, Float.floatToFloat16(toFloat(value, rounding)) & 0xffff);
      case F64 -> w.setPair(i.dst(), lane, Fp64.result(i.bit(5) ? clampToOne(value) : value));
      case 2 -> w.set(i.dst(), lane, Fp32.result(toFloat(value, rounding), i.bit(55), i.bit(5)));
      default -> throw new WarpFault(WarpError.INVALID_OPCODE);
    }
  }

  private static double clampToOne(double value) {
    return value > 0 ? Math.min(value, 1) : 0;
  }

  private static float toFloat(double value, Rounding rounding) {
    if (rounding == Rounding.RN || !Double.isFinite(value) || value == 0) {
      return (float) value;
    }
    return rounding.toFloat(new java.math.BigDecimal(value), 0f);
  }

  private void floatToInteger(Instruction i, Warp w, int lane) {
    double value = Rounding.of(i.bits(50, 49)).toIntegral(source(i, w, lane));
    boolean signed = i.bit(7);
    switch (i.bits(21, 20)) {
      case 2 -> w.set(i.dst(), lane, signed ? (int) value : toUnsigned32(value));
      case 3 -> w.setPair(i.dst(), lane, signed ? (long) value : toUnsigned64(value));
      case 1 ->
          w.set(
              i.dst(),
              lane,
              signed
                  ? (int) Math.clamp(value, Short.MIN_VALUE, Short.MAX_VALUE)
                  : (int) Math.clamp(value, 0, 0xffff));
      default -> throw new WarpFault(WarpError.INVALID_OPCODE);
    }
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

  /** An integer source of 1 to 8 bytes: bits 24:23 are its size, bit 9 its sign. */
  private long integerSource(Instruction i, Warp w, int lane) {
    int size = i.bits(24, 23);
    boolean signed = i.bit(9);
    if (size == 3) {
      return i.mode() == 0 ? w.getPair(i.src2(), lane) : operands.second(i, w, lane);
    }
    int word = operands.second(i, w, lane);
    int part = i.bits(56, 55);
    return switch (size) {
      case 0 -> signed ? (byte) (word >>> 8 * part) : word >>> 8 * part & 0xff;
      case 1 -> signed ? (short) (word >>> 16 * (part >> 1)) : word >>> 16 * (part >> 1) & 0xffff;
      default -> signed ? word : Integer.toUnsignedLong(word);
    };
  }

  private void integerToFloat(Instruction i, Warp w, int lane) {
    Rounding rounding = Rounding.of(i.bits(50, 49));
    long value = integerSource(i, w, lane);
    boolean unsigned64 = i.bits(24, 23) == 3 && !i.bit(9);
    java.math.BigDecimal exact =
        unsigned64
            ? new java.math.BigDecimal(Long.toUnsignedString(value))
            : java.math.BigDecimal.valueOf(value);
    if (i.bit(6)) {
      exact = exact.abs();
    }
    if (i.bit(8)) {
      exact = exact.negate();
    }
    switch (i.bits(21, 20)) {
      case 2 -> w.set(i.dst(), lane, Float.floatToRawIntBits(rounding.toFloat(exact, 0f)));
      case F64 ->
          w.setPair(i.dst(), lane, Double.doubleToRawLongBits(rounding.toDouble(exact, 0d)));
      case F16 -> w.set(i.dst(), lane, Float.floatToFloat16(rounding.toFloat(exact, 0f)) & 0xffff);
      default -> throw new WarpFault(WarpError.INVALID_OPCODE);
    }
  }

  private void integerToInteger(Instruction i, Warp w, int lane) {
    long value = integerSource(i, w, lane);
    long magnitude = i.bit(6) ? Math.abs(value) : value;
    long signed = i.bit(8) ? -magnitude : magnitude;
    int size = i.bits(21, 20);
    if (size == 3) {
      w.setPair(i.dst(), lane, signed);
      return;
    }
    int bits = 8 << size;
    long least = i.bit(7) ? -(1L << bits - 1) : 0;
    long most = i.bit(7) ? (1L << bits - 1) - 1 : (1L << bits) - 1;
    long result = i.bit(5) ? Math.clamp(signed, least, most) : signed;
    int narrowed =
        switch (size) {
          case 0 -> i.bit(7) ? (byte) result : (int) result & 0xff;
          case 1 -> i.bit(7) ? (short) result : (int) result & 0xffff;
          default -> (int) result;
        };
    w.set(i.dst(), lane, narrowed);
  }
}

package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static io.sluice.gpu.sm.OneInstruction.withCondition;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.math.BigInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The forms whose second operand is a whole word; the target is their third where they have one.
 */
@ExtendWith(Seeds.class)
final class ImmediateOracleTest {
  private static final long CC = 1L << 58;
  private static final BigInteger TWO_32 = BigInteger.ONE.shiftLeft(32);

  /** R12 is the target, R4 the first operand. */
  private static long with(int immediate) {
    return ALWAYS | 12L << 14 | 4L << 20 | (immediate & 0xffff_ffffL) << 26;
  }

  private static BigInteger unsigned(int value) {
    return BigInteger.valueOf(value & 0xffff_ffffL);
  }

  private static BigInteger number(int value, boolean signed) {
    return signed ? BigInteger.valueOf(value) : unsigned(value);
  }

  /** x + y + one with its flags. */
  private static Result sum(Operands in, int x, int y, int one, boolean cc) {
    BigInteger exact =
        BigInteger.valueOf(x).add(BigInteger.valueOf(y)).add(BigInteger.valueOf(one));
    BigInteger carries = unsigned(x).add(unsigned(y)).add(BigInteger.valueOf(one));
    int result = exact.intValue();
    Result plain = word(in, result);
    return cc
        ? withCondition(
            plain,
            result == 0,
            result < 0,
            carries.compareTo(TWO_32) >= 0,
            !exact.equals(BigInteger.valueOf(result)))
        : plain;
  }

  private static int product(int a, int b, int signs) {
    BigInteger exact = number(a, (signs & 2) != 0).multiply(number(b, (signs & 4) != 0));
    return exact.shiftRight((signs & 1) != 0 ? 32 : 0).intValue();
  }

  /** Upper half, sign of a, sign of b. */
  private static long productBits(int signs) {
    return ((signs & 1) != 0 ? 1L << 6 : 0)
        | ((signs & 2) != 0 ? 1L << 7 : 0)
        | ((signs & 4) != 0 ? 1L << 5 : 0);
  }

  @Test
  @Covers({Opcode.IMUL32I, Opcode.IMAD32I})
  void products_halvesAndSigns_multiply(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      int signs = m & 7;
      int operation = m >> 3 & 3;
      boolean cc = (m & 32) != 0;
      int immediate = one.any();
      long bits = with(immediate) | productBits(signs) | (cc ? CC : 0);
      one.check(
          "IMUL32I",
          0x1000000000000002L | bits,
          in -> {
            int result = product(in.a(), immediate, signs);
            Result plain = word(in, result);
            return cc ? withCondition(plain, result == 0, result < 0, false, false) : plain;
          });
      one.check(
          "IMAD32I",
          0x0000000000000002L | bits | (long) operation << 8,
          in -> {
            int x = product(in.a(), immediate, signs);
            return switch (operation) {
              case 0 -> sum(in, x, BEFORE, 0, cc);
              case 1 -> sum(in, x, ~BEFORE, 1, cc);
              case 2 -> sum(in, ~x, BEFORE, 1, cc);
              default -> sum(in, x, BEFORE, 1, cc);
            };
          });
    }
  }

  @Test
  @Covers(Opcode.ISCADD32I)
  void iscadd32i_allShifts_shiftsAndAdds(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int shift = 0; shift < 32; shift++) {
      int s = shift;
      boolean cc = random.nextBoolean();
      int immediate = one.any();
      one.check(
          "ISCADD32I",
          0x4000000000000002L | with(immediate) | (long) shift << 5 | (cc ? CC : 0),
          in -> sum(in, unsigned(in.a()).shiftLeft(s).intValue(), immediate, 0, cc));
    }
  }

  @Test
  @Covers(Opcode.LOP32I)
  void lop32i_allOperations_areBitwise(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 32; m++) {
      int operation = m & 3;
      int flipA = (m & 4) != 0 ? -1 : 0;
      int flipB = (m & 8) != 0 ? -1 : 0;
      boolean cc = (m & 16) != 0;
      int immediate = one.any();
      one.check(
          "LOP32I",
          0x3800000000000002L
              | with(immediate)
              | (long) operation << 6
              | (flipA & 1L) << 9
              | (flipB & 1L) << 8
              | (cc ? CC : 0),
          in -> {
            int result = IntegerOracleTest.bitwise(operation, in.a() ^ flipA, immediate ^ flipB);
            Result plain = word(in, result);
            return cc ? withCondition(plain, result == 0, result < 0, false, false) : plain;
          });
    }
  }

  @Test
  @Covers(Opcode.FADD32I)
  void fadd32i_signsAndFlush_roundsOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 32; m++) {
      boolean negate = (m & 1) != 0;
      boolean absolute = (m & 2) != 0;
      boolean ftz = (m & 4) != 0;
      int immediate = one.any();
      one.check(
          "FADD32I",
          0x2800000000000002L
              | with(immediate)
              | (negate ? 1L << 9 : 0)
              | (absolute ? 1L << 7 : 0)
              | (ftz ? 1L << 5 : 0),
          in -> {
            float a = flushed(FloatOracleTest.sign(in.a(), absolute, negate), ftz);
            float b = flushed(Float.intBitsToFloat(immediate), ftz);
            float sum = (float) FloatOracleTest.fused(a, 1, b, Dyadic.NEAREST, false);
            return word(in, FloatOracleTest.bits(sum, ftz, false));
          });
    }
  }

  @Test
  @Covers({Opcode.FMUL32I, Opcode.FFMA32I})
  void floatProducts_allModifiers_roundOnce(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      boolean ftz = (m & 1) != 0;
      boolean fmz = (m & 2) != 0;
      boolean saturate = (m & 4) != 0;
      boolean negateProduct = (m & 8) != 0;
      boolean negateC = (m & 16) != 0;
      boolean flush = ftz || fmz;
      int immediate = one.any();
      long bits =
          with(immediate) | (ftz ? 1L << 6 : 0) | (fmz ? 1L << 7 : 0) | (saturate ? 1L << 5 : 0);
      float b = flushed(Float.intBitsToFloat(immediate), flush);
      one.check(
          "FMUL32I",
          0x3000000000000002L | bits,
          in -> {
            float a = flushed(Float.intBitsToFloat(in.a()), flush);
            if (fmz && (a == 0 || b == 0)) {
              return word(in, 0);
            }
            float product = (float) FloatOracleTest.product(a, b, Dyadic.NEAREST, false);
            return word(in, FloatOracleTest.bits(product, flush, saturate));
          });
      one.check(
          "FFMA32I",
          0x2000000000000002L | bits | (negateProduct ? 1L << 9 : 0) | (negateC ? 1L << 8 : 0),
          in -> {
            float a = flushed(FloatOracleTest.sign(in.a(), false, negateProduct), flush);
            float c = flushed(FloatOracleTest.sign(BEFORE, false, negateC), flush);
            if (fmz && (a == 0 || b == 0)) {
              return word(in, FloatOracleTest.bits(c + 0f, true, saturate));
            }
            float sum = (float) FloatOracleTest.fused(a, b, c, Dyadic.NEAREST, false);
            return word(in, FloatOracleTest.bits(sum, flush, saturate));
          });
    }
  }

  private static float flushed(float value, boolean ftz) {
    return ftz && Math.abs(value) < 0x1p-126f ? Math.copySign(0f, value) : value;
  }

  @Test
  @Covers(Opcode.MOV32I)
  void mov32i_laneFields_movesInThoseLanes(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int lanes = 0; lanes < 16; lanes++) {
      int field = lanes;
      int immediate = one.any();
      one.checkWarp(
          "MOV32I",
          new long[] {
            0x1800000000000002L
                | ALWAYS
                | 12L << 14
                | (long) lanes << 5
                | (immediate & 0xffff_ffffL) << 26
          },
          all -> MoveOracleTest.inLanes(all, field, in -> immediate));
    }
  }
}

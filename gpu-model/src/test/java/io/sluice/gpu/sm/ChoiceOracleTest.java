package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.REGISTERS;
import static io.sluice.gpu.sm.OneInstruction.THIRD;
import static io.sluice.gpu.sm.OneInstruction.pair;
import static io.sluice.gpu.sm.OneInstruction.withCondition;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Floating-point instructions that choose an operand, or look at one: by the bits of numbers. */
@ExtendWith(Seeds.class)
final class ChoiceOracleTest {
  private static final long CC = 1L << 48;
  private static final long NAN_64 = 0x7fffffffffffffffL;
  private static final int NAN = 0x7fffffff;

  private static int signed(int bits, boolean absolute, boolean negate) {
    int magnitude = absolute ? bits & 0x7fffffff : bits;
    return negate ? magnitude ^ 0x80000000 : magnitude;
  }

  private static long signed(long bits, boolean absolute, boolean negate) {
    long magnitude = absolute ? bits & Long.MAX_VALUE : bits;
    return negate ? magnitude ^ Long.MIN_VALUE : magnitude;
  }

  /** Where a number that is no NaN stands among all others, -0 before +0. */
  private static long rank(long bits) {
    return bits >= 0 ? bits : Long.MIN_VALUE - bits - 1;
  }

  private static boolean isNan(int bits) {
    return (bits & 0x7fffffff) > 0x7f800000;
  }

  private static boolean isNan(long bits) {
    return (bits & Long.MAX_VALUE) > 0x7ff0000000000000L;
  }

  private static int flushed(int bits, boolean ftz) {
    return ftz && (bits & 0x7fffffff) < 0x00800000 ? bits & 0x80000000 : bits;
  }

  private static Result conditioned(
      Result result, boolean cc, boolean nan, boolean zero, boolean s) {
    return cc ? withCondition(result, nan || zero, nan || s && !zero, false, false) : result;
  }

  @Test
  @Covers(Opcode.FMNMX)
  void fmnmx_signsAndFlush_choosesByRank(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      int signs = m & 15;
      boolean ftz = (m & 16) != 0;
      boolean cc = (m & 32) != 0;
      int p = random.nextInt(8);
      boolean negated = random.nextBoolean();
      one.check(
          "FMNMX",
          0x0800000000000000L
              | REGISTERS
              | signs(signs)
              | (ftz ? 1L << 5 : 0)
              | (cc ? CC : 0)
              | (long) p << 49
              | (negated ? 1L << 52 : 0),
          in -> {
            int x = flushed(signed(in.a(), (signs & 2) != 0, (signs & 1) != 0), ftz);
            int y = flushed(signed(in.b(), (signs & 8) != 0, (signs & 4) != 0), ftz);
            boolean min = in.predicate(p) != negated;
            boolean takesX = isNan(y) || !isNan(x) && rank(x) < rank(y) == min;
            int chosen = takesX ? x : y;
            int result = isNan(chosen) ? NAN : chosen;
            boolean zero = (result & 0x7fffffff) == 0;
            return conditioned(word(in, result), cc, isNan(result), zero, result < 0);
          });
    }
  }

  private static long signs(int chosen) {
    return ((chosen & 1) != 0 ? 1L << 9 : 0)
        | ((chosen & 2) != 0 ? 1L << 7 : 0)
        | ((chosen & 4) != 0 ? 1L << 8 : 0)
        | ((chosen & 8) != 0 ? 1L << 6 : 0);
  }

  @Test
  @Covers(Opcode.DMNMX)
  void dmnmx_signs_choosesByRank(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      int signs = m & 15;
      boolean cc = (m & 16) != 0;
      int p = random.nextInt(8);
      boolean negated = random.nextBoolean();
      one.check(
          "DMNMX",
          0x0800000000000001L
              | REGISTERS
              | signs(signs)
              | (cc ? CC : 0)
              | (long) p << 49
              | (negated ? 1L << 52 : 0),
          in -> {
            long x = signed(in.wideA(), (signs & 2) != 0, (signs & 1) != 0);
            long y = signed(in.wideB(), (signs & 8) != 0, (signs & 4) != 0);
            boolean min = in.predicate(p) != negated;
            boolean takesX = isNan(y) || !isNan(x) && rank(x) < rank(y) == min;
            long chosen = takesX ? x : y;
            long result = isNan(chosen) ? NAN_64 : chosen;
            boolean zero = (result & Long.MAX_VALUE) == 0;
            return conditioned(pair(in, result), cc, isNan(result), zero, result < 0);
          });
    }
  }

  @Test
  @Covers(Opcode.FCMP)
  void fcmp_allConditions_choosesByTheThird(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 32; m++) {
      int condition = m & 15;
      boolean ftz = (m & 16) != 0;
      one.check(
          "FCMP",
          0x3800000000000000L | REGISTERS | THIRD | (long) condition << 55 | (ftz ? 1L << 5 : 0),
          in -> {
            int c = flushed(in.c(), ftz);
            boolean zero = (c & 0x7fffffff) == 0;
            int relation = isNan(c) ? 8 : zero ? 2 : c < 0 ? 1 : 4;
            return word(in, (condition & relation) != 0 ? in.a() : in.b());
          });
    }
  }

  /** Nothing is reduced; the operand's sign may change. */
  @Test
  @Covers(Opcode.RRO)
  void rro_signs_passesTheOperand(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 8; m++) {
      boolean negate = (m & 1) != 0;
      boolean absolute = (m & 2) != 0;
      long function = m >> 2;
      one.check(
          "RRO",
          0x6000000000000000L
              | REGISTERS & ~(63L << 20)
              | (negate ? 1L << 8 : 0)
              | (absolute ? 1L << 6 : 0)
              | function << 5,
          in -> word(in, signed(in.b(), absolute, negate)));
    }
  }

  @Test
  @Covers(Opcode.MUFU)
  void mufuUpperWords_ofDoubles_areThoseOfTheResult(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 16; m++) {
      int function = 6 + (m & 1);
      boolean negate = (m & 2) != 0;
      boolean absolute = (m & 4) != 0;
      one.check(
          "MUFU",
          0xc800000000000000L
              | REGISTERS & ~(63L << 26)
              | (long) function << 26
              | (negate ? 1L << 9 : 0)
              | (absolute ? 1L << 7 : 0),
          in -> {
            int high = signed(in.a(), absolute, negate);
            double x = Double.longBitsToDouble((long) high << 32);
            double result = function == 6 ? 1 / x : 1 / StrictMath.sqrt(x);
            long bits = Double.isNaN(result) ? NAN_64 : Double.doubleToRawLongBits(result);
            return word(in, (int) (bits >> 32));
          });
    }
  }

  @Test
  @Covers({Opcode.DADD, Opcode.DMUL, Opcode.DFMA})
  void doubles_signsAndCondition_changeTheOperands(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 32; m++) {
      int signs = m & 15;
      boolean cc = (m & 16) != 0;
      long bits = REGISTERS | signs(signs) | (cc ? CC : 0);
      one.check(
          "DADD",
          0x4800000000000001L | bits,
          in -> {
            double x = value(signed(in.wideA(), (signs & 2) != 0, (signs & 1) != 0));
            double y = value(signed(in.wideB(), (signs & 8) != 0, (signs & 4) != 0));
            return conditioned(in, FloatOracleTest.fused(x, 1, y, 0, true), cc);
          });
      long products = REGISTERS | (cc ? CC : 0) | signs(signs & 5);
      boolean negateA = (signs & 1) != 0;
      boolean negateC = (signs & 4) != 0;
      one.check(
          "DMUL",
          0x5000000000000001L | products & ~(1L << 8),
          in -> {
            double x = value(signed(in.wideA(), false, negateA));
            return conditioned(in, FloatOracleTest.product(x, value(in.wideB()), 0, true), cc);
          });
      one.check(
          "DFMA",
          0x2000000000000001L | products | THIRD,
          in -> {
            double x = value(signed(in.wideA(), false, negateA));
            double z = value(signed(in.wideC(), false, negateC));
            return conditioned(in, FloatOracleTest.fused(x, value(in.wideB()), z, 0, true), cc);
          });
    }
  }

  private static double value(long bits) {
    return Double.longBitsToDouble(bits);
  }

  private static Result conditioned(Operands in, double exact, boolean cc) {
    boolean nan = Double.isNaN(exact);
    Result result = pair(in, nan ? NAN_64 : Double.doubleToRawLongBits(exact));
    return conditioned(result, cc, nan, exact == 0, exact < 0);
  }
}

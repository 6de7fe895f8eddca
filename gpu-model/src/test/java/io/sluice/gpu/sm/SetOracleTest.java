package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static io.sluice.gpu.sm.OneInstruction.REGISTERS;
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

/** Comparisons that give a word: all ones, or 1.0 as a float, or 0. */
@ExtendWith(Seeds.class)
final class SetOracleTest {
  private static final long CC = 1L << 48;

  /** Modifiers of a comparison's sign: of both operands, by their bits. */
  private static final long[] SIGNS = {1L << 9, 1L << 7, 1L << 8, 1L << 6};

  /** Fields that all of these instructions have, drawn at random. */
  private record Common(int other, boolean negated, int combination, boolean asFloat, boolean cc) {
    static Common random(RandomGenerator random) {
      return new Common(
          random.nextInt(8),
          random.nextBoolean(),
          random.nextInt(3),
          random.nextBoolean(),
          random.nextBoolean());
    }

    /** The word's bits, where bit {@code floatBit} asks for a float. */
    long bits(int floatBit) {
      return (long) other << 49
          | (negated ? 1L << 52 : 0)
          | (long) combination << 53
          | (asFloat ? 1L << floatBit : 0)
          | (cc ? CC : 0);
    }

    Result result(Operands in, boolean holds) {
      boolean q = in.predicate(other) != negated;
      boolean set = combination == 0 ? holds && q : combination == 1 ? holds || q : holds ^ q;
      Result plain = word(in, set ? (asFloat ? Float.floatToIntBits(1f) : 0xffffffff) : 0);
      return cc ? withCondition(plain, !set, set && !asFloat, false, false) : plain;
    }
  }

  private static boolean accepted(int condition, int order) {
    return (condition >> (order + 1) & 1) != 0;
  }

  @Test
  @Covers(Opcode.ISET)
  void iset_allConditions_setsAWord(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 48; m++) {
      int condition = m & 7;
      boolean signed = (m & 8) != 0;
      Common common = Common.random(random);
      one.check(
          "ISET",
          0x1000000000000003L
              | REGISTERS
              | (signed ? 1L << 5 : 0)
              | (long) condition << 55
              | common.bits(7),
          in -> {
            int order = number(in.a(), signed).compareTo(number(in.b(), signed));
            return common.result(in, accepted(condition, order));
          });
    }
  }

  private static BigInteger number(int value, boolean signed) {
    return BigInteger.valueOf(signed ? value : value & 0xffff_ffffL);
  }

  /** The lower words are subtracted, the upper ones compared with what is left. */
  @Test
  @Covers(Opcode.ISET)
  void isetExtended_afterASubtraction_compares64Bits(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long subtraction = 0x4801000000000103L | ALWAYS | 63L << 14 | 4L << 20 | 6L << 26;
    for (int condition = 0; condition < 8; condition++) {
      int wanted = condition;
      for (boolean signed : new boolean[] {false, true}) {
        long comparison =
            0x100e000000000043L
                | ALWAYS
                | (signed ? 1L << 5 : 0)
                | (long) condition << 55
                | 12L << 14
                | 5L << 20
                | 7L << 26;
        one.check(
            "ISET.X",
            new long[] {subtraction, comparison},
            in -> {
              int order =
                  signed
                      ? Long.compare(in.wideA(), in.wideB())
                      : Long.compareUnsigned(in.wideA(), in.wideB());
              long exact = (long) in.a() - in.b();
              boolean borrow = (in.a() & 0xffff_ffffL) < (in.b() & 0xffff_ffffL);
              return withCondition(
                  word(in, accepted(wanted, order) ? -1 : 0),
                  (int) exact == 0,
                  (int) exact < 0,
                  !borrow,
                  exact != (int) exact);
            });
      }
    }
  }

  /** 1 less, 2 equal, 4 greater, 8 unordered. */
  private static boolean holds(int condition, double x, double y) {
    boolean unordered = Double.isNaN(x) || Double.isNaN(y);
    int relation = unordered ? 8 : x < y ? 1 : x > y ? 4 : 2;
    return (condition & relation) != 0;
  }

  private static double signed(double value, boolean absolute, boolean negated) {
    double magnitude = absolute ? Math.abs(value) : value;
    return negated ? -magnitude : magnitude;
  }

  private static double flushed(float value, boolean ftz) {
    return ftz && Math.abs(value) < 0x1p-126f ? 0 : value;
  }

  private static long signs(int chosen) {
    long bits = 0;
    for (int n = 0; n < SIGNS.length; n++) {
      bits |= (chosen >> n & 1) != 0 ? SIGNS[n] : 0;
    }
    return bits;
  }

  private static double first(double a, int signs) {
    return signed(a, (signs & 2) != 0, (signs & 1) != 0);
  }

  private static double second(double b, int signs) {
    return signed(b, (signs & 8) != 0, (signs & 4) != 0);
  }

  @Test
  @Covers({Opcode.FSET, Opcode.FSETP})
  void fset_allConditionsAndSigns_setsAWord(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      int condition = m & 15;
      int signs = random.nextInt(16);
      boolean ftz = random.nextBoolean();
      Common common = Common.random(random);
      long bits = (long) condition << 55 | signs(signs) | (ftz ? 1L << 59 : 0);
      one.check(
          "FSET",
          0x1000000000000000L | REGISTERS | bits | common.bits(5),
          in -> common.result(in, floatsHold(in, condition, signs, ftz)));
      one.check(
          "FSETP",
          0x200e000000000000L | REGISTERS & ~(63L << 14) | 2L << 17 | 7L << 14 | bits,
          in -> OneInstruction.predicates(in, 2, floatsHold(in, condition, signs, ftz), 7, false));
    }
  }

  private static boolean floatsHold(Operands in, int condition, int signs, boolean ftz) {
    double x = first(flushed(Float.intBitsToFloat(in.a()), ftz), signs);
    double y = second(flushed(Float.intBitsToFloat(in.b()), ftz), signs);
    return holds(condition, x, y);
  }

  @Test
  @Covers({Opcode.DSET, Opcode.DSETP})
  void dset_allConditionsAndSigns_setsAWord(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 64; m++) {
      int condition = m & 15;
      int signs = random.nextInt(16);
      Common common = Common.random(random);
      long bits = (long) condition << 55 | signs(signs);
      one.check(
          "DSET",
          0x1000000000000001L | REGISTERS | bits | common.bits(5),
          in -> common.result(in, doublesHold(in, condition, signs)));
      one.check(
          "DSETP",
          0x180e000000000001L | REGISTERS & ~(63L << 14) | 2L << 17 | 7L << 14 | bits,
          in -> OneInstruction.predicates(in, 2, doublesHold(in, condition, signs), 7, false));
    }
  }

  private static boolean doublesHold(Operands in, int condition, int signs) {
    double x = first(Double.longBitsToDouble(in.wideA()), signs);
    double y = second(Double.longBitsToDouble(in.wideB()), signs);
    return holds(condition, x, y);
  }

  @Test
  @Covers(Opcode.PSET)
  void pset_combinations_setsAWord(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 36; m++) {
      int inner = m % 3;
      int p = random.nextInt(8);
      int q = random.nextInt(8);
      boolean notP = random.nextBoolean();
      boolean notQ = random.nextBoolean();
      Common common = Common.random(random);
      one.check(
          "PSET",
          0x0800000000000004L
              | ALWAYS
              | 12L << 14
              | (long) p << 20
              | (notP ? 1L << 23 : 0)
              | (long) q << 26
              | (notQ ? 1L << 29 : 0)
              | (long) inner << 30
              | common.bits(5),
          in -> {
            boolean x = in.predicate(p) != notP;
            boolean y = in.predicate(q) != notQ;
            return common.result(in, inner == 0 ? x && y : inner == 1 ? x || y : x ^ y);
          });
    }
  }

  @Test
  @Covers(Opcode.CSET)
  void cset_allTests_setsAWord(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int test = 0; test < 0x18; test++) {
      int wanted = test;
      Common common = Common.random(random);
      one.check(
          "CSET",
          0x0000000000000004L | ALWAYS | 12L << 14 | (long) test << 20 | common.bits(5),
          in -> common.result(in, PredicateOracleTest.passes(wanted, in)));
    }
  }

  /** Without a condition code nothing of it changes. */
  @Test
  @Covers(Opcode.FSET)
  void fset_withoutCc_keepsTheFlags(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    one.check(
        "FSET.T",
        0x100e000000000000L | REGISTERS | 15L << 55,
        in -> new Result(-1, BEFORE, in.flags()));
  }
}

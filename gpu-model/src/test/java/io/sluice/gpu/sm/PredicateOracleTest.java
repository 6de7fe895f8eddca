package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static io.sluice.gpu.sm.OneInstruction.REGISTERS;
import static io.sluice.gpu.sm.OneInstruction.predicates;
import static io.sluice.gpu.sm.OneInstruction.word;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.math.BigInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Comparisons of integers, predicates, condition codes and selections. */
@ExtendWith(Seeds.class)
final class PredicateOracleTest {
  private static boolean combined(int combination, boolean p, boolean q) {
    return combination == 0 ? p && q : combination == 1 ? p || q : p ^ q;
  }

  private static BigInteger number(int value, boolean signed) {
    return signed ? BigInteger.valueOf(value) : BigInteger.valueOf(value & 0xffff_ffffL);
  }

  private static boolean accepted(int condition, int order) {
    return (condition >> (order + 1) & 1) != 0;
  }

  @Test
  @Covers({Opcode.ISETP})
  void isetp_allConditions_setsBothPredicates(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 48; m++) {
      int condition = m & 7;
      boolean signed = (m & 8) != 0;
      int combination = m / 16;
      int other = random.nextInt(8);
      boolean negated = random.nextBoolean();
      int first = random.nextInt(8);
      int second = first == 7 ? 7 : (first + 1) % 7;
      one.check(
          "ISETP",
          0x1800000000000003L
              | REGISTERS & ~(63L << 14)
              | (signed ? 1L << 5 : 0)
              | (long) condition << 55
              | (long) combination << 53
              | (long) other << 49
              | (negated ? 1L << 52 : 0)
              | (long) first << 17
              | (long) second << 14,
          in -> {
            int order = number(in.a(), signed).compareTo(number(in.b(), signed));
            boolean holds = accepted(condition, order);
            boolean c = in.predicate(other) != negated;
            return predicates(
                in,
                first,
                combined(combination, holds, c),
                second,
                combined(combination, !holds, c));
          });
    }
  }

  /** The lower words are subtracted, the upper ones compared with what is left. */
  @Test
  void isetpExtended_afterASubtraction_compares64Bits(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    long subtraction = 0x4801000000000103L | ALWAYS | 63L << 14 | 4L << 20 | 6L << 26;
    for (int condition = 0; condition < 8; condition++) {
      int wanted = condition;
      for (boolean signed : new boolean[] {false, true}) {
        long comparison =
            0x180e000000000043L
                | ALWAYS
                | (signed ? 1L << 5 : 0)
                | (long) condition << 55
                | 0L << 17
                | 7L << 14
                | 5L << 20
                | 7L << 26;
        one.check(
            "ISETP.X",
            new long[] {subtraction, comparison},
            in -> {
              int order =
                  signed
                      ? Long.compare(in.wideA(), in.wideB())
                      : Long.compareUnsigned(in.wideA(), in.wideB());
              int flags = in.flags() & ~1 & 0x7f | (accepted(wanted, order) ? 1 : 0);
              return new Result(BEFORE, BEFORE, flags | subtractionFlags(in) << 12);
            });
      }
    }
  }

  private static int subtractionFlags(Operands in) {
    long exact = (long) in.a() - in.b();
    int result = in.a() - in.b();
    boolean carry = Integer.compareUnsigned(in.a(), in.b()) >= 0;
    return (result == 0 ? 1 : 0)
        | (result < 0 ? 2 : 0)
        | (carry ? 4 : 0)
        | (exact != result ? 8 : 0);
  }

  @Test
  @Covers({Opcode.CSETP})
  void csetp_allTests_readTheConditionCode(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int test = 0; test < 0x18; test++) {
      int wanted = test;
      one.check(
          "CSETP",
          0x040e000000000004L | ALWAYS | 1L << 17 | 7L << 14 | (long) test << 20,
          in -> predicates(in, 1, passes(wanted, in), 7, false));
    }
  }

  /** Names: F LT EQ LE GT NE GE NUM NAN LTU EQU LEU GTU NEU GEU T, OFF LO SFF LS HI SFT HS OFT. */
  static boolean passes(int test, Operands in) {
    boolean z = in.zero() != 0;
    boolean s = in.sign() != 0;
    boolean c = in.carry() != 0;
    boolean o = in.overflow() != 0;
    boolean nan = z && s;
    boolean less = !nan && !z && s != o;
    boolean equal = z && !s;
    boolean greater = !nan && !less && !equal;
    return switch (test) {
      case 0x10 -> !o;
      case 0x11 -> !c;
      case 0x12 -> !s;
      case 0x13 -> !c || z;
      case 0x14 -> c && !z;
      case 0x15 -> s;
      case 0x16 -> c;
      case 0x17 -> o;
      default ->
          (test & 1) != 0 && less
              || (test & 2) != 0 && equal
              || (test & 4) != 0 && greater
              || (test & 8) != 0 && nan;
    };
  }

  @Test
  @Covers({Opcode.PSETP})
  void psetp_combinations_combine(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 36; m++) {
      int inner = m % 3;
      int outer = m / 3 % 3;
      int p = random.nextInt(8);
      int q = random.nextInt(8);
      int r = random.nextInt(8);
      boolean notP = (m & 1) != 0;
      boolean notQ = (m & 2) != 0;
      boolean notR = (m & 4) != 0;
      one.check(
          "PSETP",
          0x0c00000000000004L
              | ALWAYS
              | 2L << 17
              | 3L << 14
              | (long) p << 20
              | (notP ? 1L << 23 : 0)
              | (long) q << 26
              | (notQ ? 1L << 29 : 0)
              | (long) inner << 30
              | (long) r << 49
              | (notR ? 1L << 52 : 0)
              | (long) outer << 53,
          in -> {
            boolean x = combined(inner, in.predicate(p) != notP, in.predicate(q) != notQ);
            boolean y = in.predicate(r) != notR;
            return predicates(in, 2, combined(outer, x, y), 3, combined(outer, !x, y));
          });
    }
  }

  @Test
  @Covers({Opcode.SEL})
  void sel_predicateOfEachKind_selects(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int p = 0; p < 8; p++) {
      int selecting = p;
      for (boolean negated : new boolean[] {false, true}) {
        one.check(
            "SEL",
            0x2000000000000004L | REGISTERS | (long) p << 49 | (negated ? 1L << 52 : 0),
            in -> word(in, in.predicate(selecting) != negated ? in.a() : in.b()));
      }
    }
  }

  @Test
  void guards_ofEachPredicate_letLanesThrough(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int p = 0; p < 8; p++) {
      int guard = p;
      for (boolean negated : new boolean[] {false, true}) {
        long guarded = REGISTERS & ~(7L << 10) | (long) p << 10 | (negated ? 1L << 13 : 0);
        one.check(
            "@P IADD",
            0x4800000000000003L | guarded,
            in -> word(in, in.predicate(guard) != negated ? in.a() + in.b() : BEFORE));
      }
    }
  }

  @Test
  @Covers({Opcode.P2R, Opcode.R2P})
  void p2r_masked_mixes(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    one.check(
        "P2R",
        0x3000000000000004L | REGISTERS,
        in -> word(in, in.a() & ~in.b() | in.flags() & in.b()));
    one.check(
        "R2P",
        0x3400000000000004L | REGISTERS & ~(63L << 14),
        in -> new Result(BEFORE, BEFORE, (in.flags() & ~in.b() | in.a() & in.b()) & 0xf07f));
  }
}

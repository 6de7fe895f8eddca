package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.predicates;
import static io.sluice.gpu.sm.OneInstruction.word;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.decode.InstructionDecoder;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.testbed.fakes.Seeds;
import java.math.BigInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The video instructions against the semantics that the PTX ISA gives in its section of scalar
 * video instructions, on integers without bounds.
 */
@ExtendWith(Seeds.class)
final class VideoOracleTest {
  private static final int ROUNDS = 60;
  private static final String[] PARTS = {"b0", "b1", "b2", "b3", "h0", "h1", ""};
  private static final String[] MERGES = {"h1", "h0", "b0", "b2"};

  /** An operand's part and sign, a register or a half in the instruction. */
  private record Source(int part, boolean signed, boolean immediate, int value) {
    static Source random(RandomGenerator random, boolean canBeImmediate) {
      boolean immediate = canBeImmediate && random.nextInt(4) == 0;
      int part = immediate ? 4 : random.nextInt(PARTS.length);
      return new Source(part, random.nextBoolean(), immediate, random.nextInt(1 << 16));
    }

    long first() {
      return 4L << 20 | (long) part << 44 | (signed ? 1L << 6 : 0);
    }

    long second() {
      long place = immediate ? (long) value << 26 : 6L << 26 | 1L << 47 | (long) part << 32;
      return place | (signed ? 1L << 5 : 0);
    }

    /** partSelectSignExtend. */
    BigInteger of(int register) {
      String name = PARTS[part];
      int bits = name.isEmpty() ? 32 : name.charAt(0) == 'b' ? 8 : 16;
      int from = name.isEmpty() ? 0 : bits * (name.charAt(1) - '0');
      BigInteger all = BigInteger.valueOf((immediate ? value : register) & 0xffff_ffffL);
      BigInteger unsigned = all.shiftRight(from).mod(BigInteger.ONE.shiftLeft(bits));
      return signed && unsigned.testBit(bits - 1)
          ? unsigned.subtract(BigInteger.ONE.shiftLeft(bits))
          : unsigned;
    }
  }

  /** What becomes of a result: bits 57:55, the sign of the target, and whether it is clamped. */
  private record Target(int kind, boolean signed, boolean saturates) {
    static Target random(RandomGenerator random) {
      return new Target(random.nextInt(8), random.nextBoolean(), random.nextBoolean());
    }

    long bits() {
      return (long) kind << 55 | (signed ? 1L << 42 : 0) | (saturates ? 1L << 9 : 0);
    }

    /** optSaturate, optSecondaryOp, optMerge. */
    int of(BigInteger result, int c) {
      BigInteger value = saturates ? clamp(result, width(), signed) : result;
      BigInteger third = BigInteger.valueOf(signed ? c : c & 0xffff_ffffL);
      if (kind < MERGES.length) {
        int bits = width();
        int at = bits * (MERGES[kind].charAt(1) - '0');
        int mask = (int) ((1L << bits) - 1) << at;
        return value.intValue() << at & mask | c & ~mask;
      }
      return switch (kind) {
        case 4 -> value.add(third).intValue();
        case 5 -> value.min(third).intValue();
        case 6 -> value.max(third).intValue();
        default -> value.intValue();
      };
    }

    private int width() {
      return kind >= MERGES.length ? 32 : MERGES[kind].charAt(0) == 'b' ? 8 : 16;
    }
  }

  private static BigInteger clamp(BigInteger value, int bits, boolean signed) {
    BigInteger least = signed ? BigInteger.ONE.shiftLeft(bits - 1).negate() : BigInteger.ZERO;
    BigInteger most = least.add(BigInteger.ONE.shiftLeft(bits)).subtract(BigInteger.ONE);
    return value.max(least).min(most);
  }

  private interface Primary {
    BigInteger of(BigInteger ta, BigInteger tb);
  }

  private static void check(
      RandomGenerator random, String name, long bits, boolean plainSecond, Primary primary) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < ROUNDS; round++) {
      Source a = Source.random(random, false);
      Source any = Source.random(random, true);
      Source b = plainSecond ? new Source(any.part(), false, any.immediate(), any.value()) : any;
      Target target = Target.random(random);
      long registers = ALWAYS | 12L << 14 | 8L << 49;
      one.check(
          name,
          bits | registers | a.first() | b.second() | target.bits(),
          in -> word(in, target.of(primary.of(a.of(in.a()), b.of(in.b())), in.c())));
    }
  }

  @Test
  @Covers({Opcode.VADD, Opcode.VABSDIFF, Opcode.VMNMX})
  void sumsAndChoices_allParts_areThoseOfPtx(RandomGenerator random) {
    check(random, "vadd", 0xc000000000000004L, false, BigInteger::add);
    check(random, "vsub", 0xc000000000000084L, false, BigInteger::subtract);
    check(random, "vsub reversed", 0xc000000000000104L, false, (a, b) -> b.subtract(a));
    check(random, "vadd.po", 0xc000000000000184L, false, (a, b) -> a.add(b).add(BigInteger.ONE));
    check(random, "vmin", 0xc800000000000004L, false, BigInteger::min);
    check(random, "vmax", 0xc800000000000084L, false, BigInteger::max);
    check(random, "vabsdiff", 0xd000000000000004L, false, (a, b) -> a.subtract(b).abs());
  }

  @Test
  @Covers({Opcode.VSHL, Opcode.VSHR})
  void shifts_clampedAndWrapped_areThoseOfPtx(RandomGenerator random) {
    BigInteger most = BigInteger.valueOf(32);
    check(
        random,
        "vshl.clamp",
        0xe800000000000004L,
        true,
        (a, b) -> a.shiftLeft(b.min(most).intValue()));
    check(random, "vshl.wrap", 0xe800000000000084L, true, (a, b) -> a.shiftLeft(b.intValue() & 31));
    check(
        random,
        "vshr.clamp",
        0xe000000000000004L,
        true,
        (a, b) -> a.shiftRight(b.min(most).intValue()));
    check(
        random, "vshr.wrap", 0xe000000000000084L, true, (a, b) -> a.shiftRight(b.intValue() & 31));
  }

  private static boolean holds(int relation, BigInteger a, BigInteger b) {
    return switch (relation) {
      case 0 -> false;
      case 1 -> a.compareTo(b) < 0;
      case 2 -> a.equals(b);
      case 3 -> a.compareTo(b) <= 0;
      case 4 -> a.compareTo(b) > 0;
      case 5 -> !a.equals(b);
      case 6 -> a.compareTo(b) >= 0;
      default -> true;
    };
  }

  @Test
  @Covers({Opcode.VSET, Opcode.VSETP})
  void comparisons_allRelations_areThoseOfPtx(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 2 * ROUNDS; m++) {
      int relation = m & 7;
      Source a = Source.random(random, false);
      Source b = Source.random(random, true);
      Target target = new Target(random.nextInt(8), false, false);
      long sources = ALWAYS | a.first() | b.second() | (long) relation << 7;
      one.check(
          "vset",
          0xd800000000000004L | sources | 12L << 14 | 8L << 49 | target.bits(),
          in -> {
            boolean holds = holds(relation, a.of(in.a()), b.of(in.b()));
            return word(in, target.of(holds ? BigInteger.ONE : BigInteger.ZERO, in.c()));
          });
      int other = random.nextInt(8);
      boolean negated = random.nextBoolean();
      int combination = m % 3;
      long third = (long) other << 49 | (negated ? 1L << 52 : 0) | (long) combination << 53;
      one.check(
          "vsetp",
          0xf800000000000004L | sources | third | 1L << 17 | 2L << 14,
          in -> {
            boolean p = holds(relation, a.of(in.a()), b.of(in.b()));
            boolean q = in.predicate(other) != negated;
            return predicates(in, 1, combine(combination, p, q), 2, combine(combination, !p, q));
          });
    }
  }

  private static boolean combine(int combination, boolean p, boolean q) {
    return combination == 0 ? p && q : combination == 1 ? p || q : p != q;
  }

  /** A scaled result is of the sum's bits behind the scale, and may then be clamped. */
  @Test
  @Covers(Opcode.VMAD)
  void vmad_negationsAndScales_areThoseOfPtx(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 4 * ROUNDS; m++) {
      Source a = Source.random(random, false);
      Source b = Source.random(random, true);
      int operation = m & 3;
      int scale = m / 4 % 3;
      boolean saturates = random.nextBoolean();
      one.check(
          "vmad",
          0xf000000000000004L
              | ALWAYS
              | 12L << 14
              | 8L << 49
              | a.first()
              | b.second()
              | (long) operation << 7
              | (long) scale << 55
              | (saturates ? 1L << 9 : 0),
          in -> word(in, multiplyAdd(in, a, b, operation, new int[] {0, 7, 15}[scale], saturates)));
    }
  }

  private static int multiplyAdd(
      Operands in, Source a, Source b, int operation, int scale, boolean saturates) {
    BigInteger product = a.of(in.a()).multiply(b.of(in.b()));
    boolean intermediateSigned = a.signed() || b.signed() || operation == 2;
    boolean finalSigned = intermediateSigned || operation == 1;
    BigInteger c = BigInteger.valueOf(intermediateSigned ? in.c() : in.c() & 0xffff_ffffL);
    BigInteger sum =
        switch (operation) {
          case 0 -> product.add(c);
          case 1 -> product.subtract(c);
          case 2 -> c.subtract(product);
          default -> product.add(c).add(BigInteger.ONE);
        };
    BigInteger scaled = sum.shiftRight(scale);
    return (saturates ? clamp(scaled, 32, finalSigned) : scaled).intValue();
  }

  /** What a listing has no name for, and the condition code, of which nobody tells what it is. */
  @ParameterizedTest
  @CsvSource({
    "c000700000000004, part 7 of the first operand",
    "c000800700000004, part 7 of the second operand",
    "c001600000000004, condition code",
    "c800600000000104, VMNMX bit 8",
    "d000600000000084, VABSDIFF bit 7",
    "d800640000000004, VSET with a signed target",
    "e800600000000024, VSHL by a signed count",
    "f180600000000004, VMAD with the fourth scale",
    "8000000000000004, four bytes at once",
    "a000000000000004, two halves at once"
  })
  void unknownForms_areNoInstructions(String word, String what) {
    assertThat(InstructionDecoder.decode(Long.parseUnsignedLong(word, 16)).opcode())
        .as(what)
        .isNull();
  }
}

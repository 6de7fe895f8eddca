package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.REGISTERS;
import static io.sluice.gpu.sm.OneInstruction.THIRD;
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

/** Integer instructions against integers without bounds, and bit by bit. */
@ExtendWith(Seeds.class)
final class IntegerOracleTest {
  private static final BigInteger TWO_32 = BigInteger.ONE.shiftLeft(32);
  private static final long CC = 1L << 48;

  private static BigInteger unsigned(int value) {
    return BigInteger.valueOf(value & 0xffff_ffffL);
  }

  private static BigInteger signed(int value) {
    return BigInteger.valueOf(value);
  }

  private static boolean fits(BigInteger value) {
    return value.bitLength() < 32;
  }

  /** x + y + carry with its flags, and clamped if asked. */
  private static Result sum(Operands in, int x, int y, int carry, boolean saturate, boolean flags) {
    BigInteger plus = BigInteger.valueOf(carry);
    BigInteger exact = signed(x).add(signed(y)).add(plus);
    boolean carries = unsigned(x).add(unsigned(y)).add(plus).compareTo(TWO_32) >= 0;
    int result = exact.intValue();
    if (saturate && !fits(exact)) {
      result = exact.signum() < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
    }
    Result plain = word(in, result);
    return flags ? withCondition(plain, result == 0, result < 0, carries, !fits(exact)) : plain;
  }

  /** The addition of an operation field, by its two operands: a+b, a-b, b-a, a+b+1. */
  private static Result sum(
      Operands in, int operation, int a, int b, boolean extended, boolean saturate, boolean flags) {
    int x = operation == 2 ? -1 - a : a;
    int y = operation == 1 ? -1 - b : b;
    int carry = extended ? in.carry() : operation == 0 ? 0 : 1;
    return sum(in, x, y, carry, saturate, flags);
  }

  @Test
  @Covers({Opcode.IADD, Opcode.IADD32I})
  void iadd_allModifiers_addsWithCarryAndOverflow(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 32; m++) {
      int operation = m & 3;
      boolean extended = (m & 4) != 0;
      boolean saturate = (m & 8) != 0;
      boolean flags = (m & 16) != 0;
      long bits = (long) operation << 8 | (extended ? 1L << 6 : 0) | (saturate ? 1L << 5 : 0);
      one.check(
          "IADD",
          0x4800000000000003L | REGISTERS | bits | (flags ? CC : 0),
          in -> sum(in, operation, in.a(), in.b(), extended, saturate, flags));
      int immediate = one.any();
      long plain = REGISTERS & ~(63L << 26) | (immediate & 0xffff_ffffL) << 26;
      one.check(
          "IADD32I",
          0x0800000000000002L | plain | bits | (flags ? 1L << 58 : 0),
          in -> sum(in, operation, in.a(), immediate, extended, saturate, flags));
    }
  }

  @Test
  @Covers({Opcode.ISCADD})
  void iscadd_allShifts_shiftsAndAdds(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int shift = 0; shift < 32; shift++) {
      int operation = shift & 3;
      boolean flags = random.nextBoolean();
      int s = shift;
      one.check(
          "ISCADD",
          0x4000000000000003L
              | REGISTERS
              | (long) shift << 5
              | (long) operation << 55
              | (flags ? CC : 0),
          in -> {
            int shifted = signed(in.a()).shiftLeft(s).intValue();
            return sum(in, operation, shifted, in.b(), false, false, flags);
          });
    }
  }

  private static int product(int a, int b, boolean signedA, boolean signedB, boolean high) {
    BigInteger exact =
        (signedA ? signed(a) : unsigned(a)).multiply(signedB ? signed(b) : unsigned(b));
    return exact.shiftRight(high ? 32 : 0).intValue();
  }

  @Test
  @Covers({Opcode.IMUL})
  void imul_halvesAndSigns_multiplies(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 8; m++) {
      boolean high = (m & 1) != 0;
      boolean signedA = (m & 2) != 0;
      boolean signedB = (m & 4) != 0;
      long bits = (high ? 1L << 6 : 0) | (signedA ? 1L << 7 : 0) | (signedB ? 1L << 5 : 0);
      one.check(
          "IMUL",
          0x5000000000000003L | REGISTERS | bits,
          in -> word(in, product(in.a(), in.b(), signedA, signedB, high)));
      one.check(
          "IMUL.CC",
          0x5000000000000003L | REGISTERS | bits | CC,
          in -> {
            int result = product(in.a(), in.b(), signedA, signedB, high);
            return withCondition(word(in, result), result == 0, result < 0, false, false);
          });
    }
  }

  @Test
  @Covers({Opcode.IMAD})
  void imad_allModifiers_multipliesAndAdds(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 256; m++) {
      int operation = m & 3;
      boolean high = (m & 4) != 0;
      boolean signedA = (m & 8) != 0;
      boolean signedB = (m & 16) != 0;
      boolean extended = (m & 32) != 0;
      boolean saturate = (m & 64) != 0;
      boolean flags = (m & 128) != 0;
      long bits =
          (long) operation << 8
              | (high ? 1L << 6 : 0)
              | (signedA ? 1L << 7 : 0)
              | (signedB ? 1L << 5 : 0)
              | (extended ? 1L << 55 : 0)
              | (saturate ? 1L << 56 : 0)
              | (flags ? CC : 0);
      one.check(
          "IMAD",
          0x2000000000000003L | REGISTERS | THIRD | bits,
          in -> {
            int product = product(in.a(), in.b(), signedA, signedB, high);
            return sum(in, operation, product, in.c(), extended, saturate, flags);
          });
    }
  }

  private static int shifted(int a, int count, boolean left, boolean signed, boolean wrap) {
    int n = wrap ? count & 31 : count < 0 || count > 63 ? 63 : count;
    if (left) {
      return unsigned(a).shiftLeft(n).intValue();
    }
    return (signed ? signed(a) : unsigned(a)).shiftRight(n).intValue();
  }

  @Test
  @Covers({Opcode.SHL, Opcode.SHR})
  void shifts_clampedAndWrapped_shift(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 8; round++) {
      boolean wrap = (round & 1) != 0;
      long bits = wrap ? 1L << 9 : 0;
      one.check(
          "SHL",
          0x6000000000000003L | REGISTERS | bits,
          in -> word(in, shifted(in.a(), in.b(), true, false, wrap)));
      one.check(
          "SHR.U32",
          0x5800000000000003L | REGISTERS | bits,
          in -> word(in, shifted(in.a(), in.b(), false, false, wrap)));
      one.check(
          "SHR.S32",
          0x5800000000000003L | REGISTERS | bits | 1L << 5,
          in -> word(in, shifted(in.a(), in.b(), false, true, wrap)));
      int count = random.nextInt(32);
      long immediate = REGISTERS & ~(63L << 26) | (long) count << 26 | 3L << 46;
      one.check(
          "SHL imm",
          0x6000000000000003L | immediate | bits,
          in -> word(in, shifted(in.a(), count, true, false, wrap)));
    }
  }

  private static int reversed(int a) {
    int result = 0;
    for (int bit = 0; bit < 32; bit++) {
      result |= (a >>> bit & 1) << (31 - bit);
    }
    return result;
  }

  static int bitwise(int operation, int a, int b) {
    int result = 0;
    for (int bit = 0; bit < 32; bit++) {
      int x = a >>> bit & 1;
      int y = b >>> bit & 1;
      int r =
          switch (operation) {
            case 0 -> x * y;
            case 1 -> Math.max(x, y);
            case 2 -> x == y ? 0 : 1;
            default -> y;
          };
      result |= r << bit;
    }
    return result;
  }

  @Test
  @Covers({Opcode.LOP})
  void lop_allOperations_areBitwise(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 16; m++) {
      int operation = m & 3;
      int flipA = (m & 4) != 0 ? -1 : 0;
      int flipB = (m & 8) != 0 ? -1 : 0;
      long bits = (long) operation << 6 | (flipA & 1L) << 9 | (flipB & 1L) << 8;
      one.check(
          "LOP",
          0x6800000000000003L | REGISTERS | bits,
          in -> word(in, bitwise(operation, in.a() ^ flipA, in.b() ^ flipB)));
    }
  }

  /** Bits of a field; above the word stands its sign. */
  private static int field(int a, int descriptor, boolean signed) {
    int position = descriptor & 0xff;
    int length = Math.min(descriptor >>> 8 & 0xff, 32);
    int result = 0;
    for (int bit = 0; bit < 32; bit++) {
      int from = position + (signed && length > 0 ? Math.min(bit, length - 1) : bit);
      boolean inside = bit < length || signed && length > 0;
      int value = from > 31 ? (signed ? a >>> 31 : 0) : a >>> from & 1;
      result |= inside ? value << bit : 0;
    }
    return result;
  }

  private static int inserted(int value, int descriptor, int base) {
    int position = descriptor & 0xff;
    int length = descriptor >>> 8 & 0xff;
    int result = 0;
    for (int bit = 0; bit < 32; bit++) {
      boolean inside = bit >= position && bit < position + length;
      int from = inside ? value >>> (bit - position) : base >>> bit;
      result |= (from & 1) << bit;
    }
    return result;
  }

  @Test
  @Covers({Opcode.BFE, Opcode.BFI})
  void fields_extractedAndInserted_bitByBit(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 8; round++) {
      int descriptor = random.nextInt(40) | random.nextInt(40) << 8;
      long immediate = REGISTERS & ~(63L << 26) | (long) descriptor << 26 | 3L << 46;
      for (long reverse = 0; reverse < 2; reverse++) {
        boolean r = reverse == 1;
        one.check(
            "BFE.U32",
            0x7000000000000003L | immediate | reverse << 8,
            in -> word(in, field(r ? reversed(in.a()) : in.a(), descriptor, false)));
        one.check(
            "BFE.S32",
            0x7000000000000003L | immediate | reverse << 8 | 1L << 5,
            in -> word(in, field(r ? reversed(in.a()) : in.a(), descriptor, true)));
      }
      one.check(
          "BFI",
          0x2800000000000003L | immediate | THIRD,
          in -> word(in, inserted(in.a(), descriptor, in.c())));
      one.check(
          "BFI reg",
          0x2800000000000003L | REGISTERS | THIRD,
          in -> word(in, inserted(in.a(), in.b(), in.c())));
    }
  }

  private static int highest(int value, boolean signed, boolean distance) {
    for (int bit = 31; bit >= 0; bit--) {
      int sign = signed ? value >>> 31 : 0;
      if ((value >>> bit & 1) != sign) {
        return distance ? 31 - bit : bit;
      }
    }
    return -1;
  }

  @Test
  @Covers({Opcode.FLO, Opcode.POPC})
  void counting_ofBits_countsThem(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 8; m++) {
      boolean signed = (m & 1) != 0;
      boolean distance = (m & 2) != 0;
      int flip = (m & 4) != 0 ? -1 : 0;
      long bits = (signed ? 1L << 5 : 0) | (distance ? 1L << 6 : 0) | (flip & 1L) << 8;
      one.check(
          "FLO",
          0x7800000000000003L | REGISTERS | bits,
          in -> word(in, highest(in.b() ^ flip, signed, distance)));
    }
    one.check(
        "POPC",
        0x5400000000000004L | REGISTERS,
        in -> {
          int count = 0;
          for (int bit = 0; bit < 32; bit++) {
            count += (in.a() >>> bit & in.b() >>> bit & 1);
          }
          return word(in, count);
        });
  }

  @Test
  @Covers({Opcode.PRMT})
  void prmt_eightSelectors_picksBytes(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    one.check(
        "PRMT",
        0x2400000000000004L | REGISTERS | THIRD,
        in -> {
          int[] bytes = new int[8];
          for (int n = 0; n < 8; n++) {
            bytes[n] = (n < 4 ? in.a() >> 8 * n : in.c() >> 8 * (n - 4)) & 0xff;
          }
          int result = 0;
          for (int n = 0; n < 4; n++) {
            int selector = in.b() >> 4 * n;
            int picked = bytes[selector & 7];
            result |= ((selector & 8) != 0 ? (picked > 127 ? 255 : 0) : picked) << 8 * n;
          }
          return word(in, result);
        });
  }

  /** The tables of PTX's prmt: by the selector's two lowest bits, the lowest byte last. */
  private static final int[][][] PERMUTATIONS = {
    {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}}, // F4E
    {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}}, // B4E
    {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}, // RC8
    {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}}, // ECL
    {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}}, // ECR
    {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}} // RC16
  };

  @Test
  @Covers(Opcode.PRMT)
  void prmt_otherModes_pickAsPtxSays(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 18; round++) {
      int mode = round % PERMUTATIONS.length;
      one.check(
          "PRMT",
          0x2400000000000004L | REGISTERS | THIRD | (long) (mode + 1) << 5,
          in -> {
            int result = 0;
            for (int picked : PERMUTATIONS[mode][in.b() & 3]) {
              int word = picked < 4 ? in.a() : in.c();
              result = result << 8 | word >>> 8 * (picked % 4) & 0xff;
            }
            return word(in, result);
          });
    }
  }

  @Test
  @Covers({Opcode.SHR, Opcode.POPC})
  void bits_reversedAndInverted_areTakenSo(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int m = 0; m < 8; m++) {
      boolean signed = (m & 1) != 0;
      boolean wrap = (m & 2) != 0;
      one.check(
          "SHR.BREV",
          0x5800000000000103L | REGISTERS | (signed ? 1L << 5 : 0) | (wrap ? 1L << 9 : 0),
          in -> word(in, shifted(reversed(in.a()), in.b(), false, signed, wrap)));
      int flipA = (m & 1) != 0 ? -1 : 0;
      int flipB = (m & 2) != 0 ? -1 : 0;
      one.check(
          "POPC",
          0x5400000000000004L | REGISTERS | (flipA & 1L) << 9 | (flipB & 1L) << 8,
          in -> {
            int common = bitwise(0, in.a() ^ flipA, in.b() ^ flipB);
            return word(in, BigInteger.valueOf(common & 0xffff_ffffL).bitCount());
          });
    }
  }

  @Test
  @Covers({Opcode.SHL, Opcode.SHR, Opcode.LOP, Opcode.BFE, Opcode.FLO, Opcode.IMNMX, Opcode.ISAD})
  void conditions_ofSimpleResults_areZeroAndSign(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    one.check(
        "SHL.CC",
        0x6000000000000003L | REGISTERS | CC,
        in -> conditioned(in, shifted(in.a(), in.b(), true, false, false)));
    one.check(
        "SHR.CC",
        0x5800000000000003L | REGISTERS | CC,
        in -> conditioned(in, shifted(in.a(), in.b(), false, false, false)));
    one.check(
        "LOP.CC",
        0x6800000000000003L | REGISTERS | CC,
        in -> conditioned(in, bitwise(0, in.a(), in.b())));
    one.check(
        "BFE.CC",
        0x7000000000000003L | REGISTERS | CC,
        in -> conditioned(in, field(in.a(), in.b(), false)));
    one.check(
        "FLO.CC",
        0x7800000000000003L | REGISTERS | CC,
        in -> conditioned(in, highest(in.b(), false, false)));
    one.check(
        "IMNMX.CC",
        0x080e000000000003L | REGISTERS | CC,
        in -> conditioned(in, unsigned(in.a()).min(unsigned(in.b())).intValue()));
    one.check(
        "ISAD.CC",
        0x3800000000000003L | REGISTERS | THIRD | CC,
        in -> {
          BigInteger distance = unsigned(in.a()).subtract(unsigned(in.b())).abs();
          return conditioned(in, distance.add(signed(in.c())).intValue());
        });
  }

  private static Result conditioned(Operands in, int result) {
    return withCondition(word(in, result), result == 0, result < 0, false, false);
  }

  @Test
  @Covers({Opcode.IMNMX, Opcode.ISAD, Opcode.ICMP})
  void selections_bySizeAndSign_select(RandomGenerator random) {
    OneInstruction one = new OneInstruction(random);
    for (int round = 0; round < 4; round++) {
      boolean signed = (round & 1) != 0;
      long sign = signed ? 1L << 5 : 0;
      int p = random.nextInt(7);
      one.check(
          "IMNMX",
          0x0800000000000003L | REGISTERS | sign | (long) p << 49,
          in -> {
            BigInteger a = signed ? signed(in.a()) : unsigned(in.a());
            BigInteger b = signed ? signed(in.b()) : unsigned(in.b());
            return word(in, (in.predicate(p) ? a.min(b) : a.max(b)).intValue());
          });
      one.check(
          "ISAD",
          0x3800000000000003L | REGISTERS | THIRD | sign,
          in -> {
            BigInteger a = signed ? signed(in.a()) : unsigned(in.a());
            BigInteger b = signed ? signed(in.b()) : unsigned(in.b());
            return word(in, a.subtract(b).abs().add(signed(in.c())).intValue());
          });
      for (int condition = 0; condition < 8; condition++) {
        int accepted = condition;
        one.check(
            "ICMP",
            0x3000000000000003L | REGISTERS | THIRD | sign | (long) condition << 55,
            in -> {
              int order = (signed ? signed(in.c()) : unsigned(in.c())).signum();
              boolean holds = (accepted >> (order + 1) & 1) != 0;
              return word(in, holds ? in.a() : in.b());
            });
      }
    }
  }
}

package io.sluice.gpu.sm;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.isa.Opcode;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The other forms of an instruction that a test has written with its operands in registers: the
 * second one as an immediate or a constant, or the third one as a constant. The same oracle serves
 * them, with that operand exchanged.
 */
final class OperandForms {
  private static final Set<Opcode> INTEGERS =
      EnumSet.of(
          Opcode.IADD,
          Opcode.ISCADD,
          Opcode.IMUL,
          Opcode.IMAD,
          Opcode.SHL,
          Opcode.SHR,
          Opcode.LOP,
          Opcode.BFE,
          Opcode.BFI,
          Opcode.FLO,
          Opcode.IMNMX,
          Opcode.ISAD,
          Opcode.ICMP,
          Opcode.PRMT,
          Opcode.SEL,
          Opcode.POPC,
          Opcode.P2R,
          Opcode.R2P,
          Opcode.ISETP,
          Opcode.ISET,
          Opcode.MOV,
          Opcode.I2F,
          Opcode.I2I);
  private static final Set<Opcode> FLOATS =
      EnumSet.of(
          Opcode.FADD,
          Opcode.FMUL,
          Opcode.FFMA,
          Opcode.FMNMX,
          Opcode.FCMP,
          Opcode.FSETP,
          Opcode.FSET,
          Opcode.RRO,
          Opcode.F2F,
          Opcode.F2I);
  private static final Set<Opcode> DOUBLES =
      EnumSet.of(Opcode.DADD, Opcode.DMUL, Opcode.DFMA, Opcode.DMNMX, Opcode.DSETP, Opcode.DSET);
  private static final Set<Opcode> CONVERSIONS =
      EnumSet.of(Opcode.F2F, Opcode.F2I, Opcode.I2F, Opcode.I2I);
  private static final Set<Opcode> THREE_OPERANDS =
      EnumSet.of(
          Opcode.FFMA,
          Opcode.FCMP,
          Opcode.IMAD,
          Opcode.BFI,
          Opcode.ICMP,
          Opcode.ISAD,
          Opcode.PRMT,
          Opcode.DFMA);

  private static final long MODE = 3L << 46;
  private static final long VALUE = 0xfffffL << 26;
  private static final long THIRD = 63L << 49;

  /** Where the constant stands in bank 0 and in bank 16. */
  static final int OFFSET = 0x40;

  /** A bank whose number needs its fifth bit. */
  static final int HIGH_BANK = 16;

  /** Which operand has another form, and which. */
  enum Kind {
    IMMEDIATE,
    SECOND_CONSTANT,
    THIRD_CONSTANT
  }

  /**
   * Another form.
   *
   * @param word the instruction
   * @param kind what of it is different
   * @param low the lower word of the operand that is not in a register
   * @param high the upper one
   */
  record Form(long word, Kind kind, int low, int high) {
    /** The operands of the form, where the registers hold others. */
    Operands operands(Operands in) {
      return kind == Kind.THIRD_CONSTANT
          ? new Operands(in.a(), in.aHigh(), in.b(), in.bHigh(), low, high, in.flags())
          : new Operands(in.a(), in.aHigh(), low, high, in.c(), in.cHigh(), in.flags());
    }
  }

  private OperandForms() {}

  /** One of the other forms of an instruction, or nothing if it has none. */
  static Optional<Form> another(Opcode opcode, long word, OneInstruction one, RandomGenerator r) {
    boolean known =
        INTEGERS.contains(opcode) || FLOATS.contains(opcode) || DOUBLES.contains(opcode);
    if (!known || (word & MODE) != 0) {
      return Optional.empty();
    }
    return Optional.of(
        switch (r.nextInt(THREE_OPERANDS.contains(opcode) ? 3 : 2)) {
          case 0 -> immediate(opcode, word, one.any() & 0xfffff);
          case 1 -> {
            long constant = constant(opcode, word, r);
            long mode = 1L << 46;
            yield new Form(
                word & ~VALUE | constant | mode, Kind.SECOND_CONSTANT, one.any(), one.any());
          }
          default -> {
            // The second operand takes the place of the third.
            long second = word >>> 26 & 63;
            long rest = word & ~VALUE & ~THIRD;
            long bits = constant(opcode, word, r) | 2L << 46 | second << 49;
            yield new Form(rest | bits, Kind.THIRD_CONSTANT, one.any(), one.any());
          }
        });
  }

  /** The place of the constant; of a double that of either word, since compilers name the upper. */
  private static long constant(Opcode opcode, long word, RandomGenerator r) {
    int bank = r.nextBoolean() ? 0 : HIGH_BANK;
    int offset = isWide(opcode, word) && r.nextBoolean() ? OFFSET + Integer.BYTES : OFFSET;
    return (long) (offset / 4) << 28 | (bank & 0xfL) << 42 | (bank >>> 4 & 1L) << 26;
  }

  /** Whether the second and third operand are of eight bytes. */
  private static boolean isWide(Opcode opcode, long word) {
    return DOUBLES.contains(opcode) || CONVERSIONS.contains(opcode) && (word >>> 23 & 3) == 3;
  }

  /** Twenty bits: of an integer the lowest, of a float or double the highest. */
  private static Form immediate(Opcode opcode, long word, int value) {
    long bits = word & ~VALUE | (long) value << 26 | MODE;
    boolean wide = isWide(opcode, word);
    boolean half = CONVERSIONS.contains(opcode) && (word >>> 23 & 3) == 1;
    if (INTEGERS.contains(opcode) || half) {
      int signed = value >= 0x80000 ? value - 0x100000 : value;
      return new Form(bits, Kind.IMMEDIATE, signed, signed < 0 ? -1 : 0);
    }
    int top = value << 12;
    return wide ? new Form(bits, Kind.IMMEDIATE, 0, top) : new Form(bits, Kind.IMMEDIATE, top, 0);
  }
}

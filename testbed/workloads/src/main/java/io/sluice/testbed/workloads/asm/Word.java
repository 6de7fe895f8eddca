package io.sluice.testbed.workloads.asm;

/** An instruction word that is being put together, with the fields that many forms share. */
final class Word {
  /** What the third operand of an instruction is. */
  private static final int CONST_SECOND = 1;

  private static final int CONST_THIRD = 2;
  private static final int IMMEDIATE = 3;
  private static final int MODE = 46;
  private static final int SECOND = 26;
  private static final int THIRD = 49;

  private final Statement statement;
  private long bits;

  Word(Statement statement, long opcode) {
    this.statement = statement;
    this.bits = opcode;
  }

  long bits() {
    return bits;
  }

  /** Sets a field; the value must fit. */
  Word set(int low, int width, long value) {
    if (value < 0 || value >= 1L << width) {
      throw statement.error("value " + value + " does not fit into " + width + " bits");
    }
    bits |= value << low;
    return this;
  }

  /** Sets a signed field; the value must fit. */
  Word setSigned(int low, int width, long value) {
    if (value < -(1L << width - 1) || value >= 1L << width - 1) {
      throw statement.error("value " + value + " does not fit into " + width + " signed bits");
    }
    bits |= (value & (1L << width) - 1) << low;
    return this;
  }

  Word flag(int bit, boolean on) {
    bits |= on ? 1L << bit : 0;
    return this;
  }

  Word guard() {
    set(10, 3, statement.predicate().number());
    return flag(13, statement.predicate().negated()).flag(4, statement.has("S"));
  }

  // ---- operands ----

  Operand operand(int index) {
    if (index >= statement.operands().size()) {
      throw statement.error("an operand is missing");
    }
    return statement.operands().get(index);
  }

  Operand.Register register(int index) {
    if (operand(index) instanceof Operand.Register register) {
      return register;
    }
    throw statement.error("operand " + (index + 1) + " is not a register");
  }

  Operand.Predicate predicate(int index) {
    if (operand(index) instanceof Operand.Predicate predicate) {
      return predicate;
    }
    throw statement.error("operand " + (index + 1) + " is not a predicate");
  }

  Operand.Memory memory(int index) {
    if (operand(index) instanceof Operand.Memory memory) {
      return memory;
    }
    throw statement.error("operand " + (index + 1) + " is not an address");
  }

  long immediate(int index) {
    if (operand(index) instanceof Operand.Immediate immediate) {
      return immediate.value();
    }
    throw statement.error("operand " + (index + 1) + " is not a number");
  }

  /** The target register; its {@code .CC} sets a bit that depends on the form. */
  Word target(int index, int ccBit) {
    Operand.Register register = register(index);
    return set(14, 6, register.number()).flag(ccBit, register.cc());
  }

  Word target(int index) {
    return target(index, 48);
  }

  Word first(int index) {
    return set(20, 6, register(index).number());
  }

  /** A second operand without a third one. */
  Word second(int index, Immediates immediates) {
    return switch (operand(index)) {
      case Operand.Register register -> set(SECOND, 6, register.number());
      case Operand.Constant constant -> constant(constant, immediates).set(MODE, 2, CONST_SECOND);
      case Operand.Immediate immediate ->
          setSigned(SECOND, 20, immediates.integer(statement, immediate.value()))
              .set(MODE, 2, IMMEDIATE);
      case Operand.Real real ->
          set(SECOND, 20, immediates.real(statement, real.value())).set(MODE, 2, IMMEDIATE);
      default -> throw statement.error("operand " + (index + 1) + " cannot stand there");
    };
  }

  /** Second and third operand, of which one may be a constant. */
  Word secondAndThird(int second, int third, Immediates immediates) {
    if (operand(third) instanceof Operand.Constant constant) {
      return constant(constant, immediates)
          .set(THIRD, 6, register(second).number())
          .set(MODE, 2, CONST_THIRD);
    }
    return second(second, immediates).set(THIRD, 6, register(third).number());
  }

  /** A double's place is written as that of its lower word, and encoded as that of its upper. */
  private Word constant(Operand.Constant constant, Immediates immediates) {
    int bytes = immediates == Immediates.DOUBLE ? Double.BYTES : Integer.BYTES;
    if (constant.offset() % bytes != 0 || constant.register() != Operand.RZ) {
      throw statement.error("a constant operand has a fixed offset, a multiple of " + bytes);
    }
    set(42, 4, constant.bank() & 0xf).set(26, 1, constant.bank() >> 4);
    return set(28, 14, (constant.offset() + bytes - Integer.BYTES) >> 2);
  }

  /** A 32-bit immediate: signed or unsigned, or a float. */
  Word wide(int index) {
    long value =
        switch (operand(index)) {
          case Operand.Immediate immediate -> immediate.value();
          case Operand.Real real -> Float.floatToRawIntBits((float) real.value());
          default -> throw statement.error("operand " + (index + 1) + " is not a number");
        };
    if (value < Integer.MIN_VALUE || value >= 1L << 32) {
      throw statement.error("value " + value + " does not fit into 32 bits");
    }
    return set(26, 32, value & 0xffff_ffffL);
  }

  /** The third source of comparisons and selections: a predicate, and whether it is negated. */
  Word predicateSource(Operand.Predicate predicate) {
    return set(49, 3, predicate.number()).flag(52, predicate.negated());
  }

  /** The ways in which immediates of 20 bits are written. */
  enum Immediates {
    /** Sign-extended integers. */
    INTEGER,
    /** The upper bits of a float. */
    FLOAT,
    /** The upper bits of a double. */
    DOUBLE;

    private long integer(Statement statement, long value) {
      if (this != INTEGER) {
        throw statement.error("a number with a point is needed");
      }
      // What is written as an unsigned 32-bit number may be a negative one.
      return value > Integer.MAX_VALUE && value < 1L << 32 ? (int) value : value;
    }

    private long real(Statement statement, double value) {
      int dropped = this == FLOAT ? 12 : 44;
      long all =
          switch (this) {
            case FLOAT -> Integer.toUnsignedLong(Float.floatToRawIntBits((float) value));
            case DOUBLE -> Double.doubleToRawLongBits(value);
            case INTEGER -> throw statement.error("an integer is needed");
          };
      if ((all & (1L << dropped) - 1) != 0) {
        throw statement.error("value " + value + " has more bits than an immediate");
      }
      return all >>> dropped;
    }
  }
}

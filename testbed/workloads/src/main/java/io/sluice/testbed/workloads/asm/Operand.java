package io.sluice.testbed.workloads.asm;

/** An operand of an instruction, as written. */
sealed interface Operand {
  /** The register that reads as zero. */
  int RZ = 63;

  /** The predicate that is always true. */
  int PT = 7;

  /**
   * A register.
   *
   * @param number 0 to 62, or {@link #RZ}
   * @param negated written with a minus, or a tilde in front
   * @param absolute written between bars
   * @param cc written with {@code .CC}: the condition code is set as well
   */
  record Register(int number, boolean negated, boolean absolute, boolean cc) implements Operand {}

  /**
   * A predicate.
   *
   * @param number 0 to 6, or {@link #PT}
   * @param negated written with an exclamation mark
   */
  record Predicate(int number, boolean negated) implements Operand {}

  /** A number, as integer bits. */
  record Immediate(long value) implements Operand {}

  /** A number with a point. */
  record Real(double value) implements Operand {}

  /**
   * A place in a constant bank.
   *
   * @param bank 0 to 17
   * @param register added to the offset; {@link #RZ} for none
   * @param offset bytes
   * @param negated written with a minus
   * @param absolute written between bars
   */
  record Constant(int bank, int register, int offset, boolean negated, boolean absolute)
      implements Operand {}

  /**
   * A place in memory.
   *
   * @param register its address; {@link #RZ} for none
   * @param offset bytes added
   */
  record Memory(int register, int offset) implements Operand {}

  /** A name: a label, a special register, a condition. */
  record Name(String text) implements Operand {}
}

package io.sluice.gpu.sm.isa;

import org.jspecify.annotations.Nullable;

/**
 * One decoded instruction: its form and its word, with the fields by name.
 *
 * <pre>
 *  63      58|57 55|54    49|48 |47 46|45       32 31  26|25  20|19  14|13|12 10|9   5|4 |3  0
 *    opcode  | cond|  src3  |.CC| mode|  const / imm20 / src2 | src1 | dst  |!P| pred| mod |.S|group
 * </pre>
 *
 * @param opcode the form; null for a word that is no instruction
 * @param word the 64 bits
 */
public record Instruction(@Nullable Opcode opcode, long word) {
  /** The register that reads as zero and ignores writes. */
  public static final int RZ = 63;

  /** The predicate that is always true. */
  public static final int PT = 7;

  /** Bytes of an instruction. */
  public static final int BYTES = 8;

  /** The group of control instructions: bits 2:0. */
  public static final int CONTROL_GROUP = 7;

  // What the second and third operand are: values of the mode field.
  public static final int REGISTER = 0;
  public static final int CONST_SECOND = 1;
  public static final int CONST_THIRD = 2;
  public static final int IMMEDIATE = 3;

  private static final int IMMEDIATE_GROUP = 2;

  /** Its form; for instructions that are known to have one. */
  public Opcode form() {
    if (opcode == null) {
      throw new AssertionError("no instruction, word=0x" + Long.toHexString(word));
    }
    return opcode;
  }

  /** Bits {@code high:low} of a word. */
  public static int bits(long word, int high, int low) {
    return (int) (word >>> low) & (int) ((1L << (high - low + 1)) - 1);
  }

  /** One bit of a word. */
  public static boolean bit(long word, int index) {
    return (word >>> index & 1) != 0;
  }

  /** Bits {@code high:low} of the word. */
  public int bits(int high, int low) {
    return bits(word, high, low);
  }

  /** One bit of the word. */
  public boolean bit(int index) {
    return bit(word, index);
  }

  public int group() {
    return bits(2, 0);
  }

  public int dst() {
    return bits(19, 14);
  }

  public int src1() {
    return bits(25, 20);
  }

  public int src2() {
    return bits(31, 26);
  }

  public int src3() {
    return bits(54, 49);
  }

  /** What the second and third operand are. */
  public int mode() {
    return bits(47, 46);
  }

  public int predicate() {
    return bits(12, 10);
  }

  public boolean predicateNegated() {
    return bit(13);
  }

  /** Whether every active lane executes it. */
  public boolean isAlways() {
    return predicate() == PT && !predicateNegated();
  }

  /**
   * {@code .S}: reconverge after this instruction. Control instructions have no such bit; what
   * stands in its place there is ignored.
   */
  public boolean join() {
    return bit(4) && group() != CONTROL_GROUP;
  }

  /** {@code .CC}: write the condition code; another bit in the forms with a 32-bit immediate. */
  public boolean writesCc() {
    return bit(group() == IMMEDIATE_GROUP ? 58 : 48);
  }

  /** Constant bank of an ALU operand: bits 45:42, and bit 26 as bit 4. */
  public int constBank() {
    return bits(45, 42) | bits(26, 26) << 4;
  }

  /** Byte offset of an ALU constant operand. */
  public int constOffset() {
    return bits(41, 28) << 2;
  }

  /**
   * Byte offset of an ALU constant operand of eight bytes: the aligned eight that its word is in.
   * Compilers name the upper of the two words.
   */
  public int constOffsetWide() {
    return constOffset() & -Long.BYTES;
  }

  /** Constant bank of LDC and of branches that take their target from a constant. */
  public int loadBank() {
    return bits(46, 42);
  }

  /** Signed byte offset of such a constant. */
  public int loadOffset() {
    return (short) bits(41, 26);
  }

  /** The 16-bit immediate of a video instruction. */
  public int imm16() {
    return bits(41, 26);
  }

  /** The 20-bit immediate, sign-extended. */
  public int imm20() {
    return bits(45, 26) << 12 >> 12;
  }

  /** The 20-bit immediate as the top of a float. */
  public int imm20Float() {
    return bits(45, 26) << 12;
  }

  /** The 20-bit immediate as the top of a double. */
  public long imm20Double() {
    return (long) bits(45, 26) << 44;
  }

  /** The 32-bit immediate or memory offset. */
  public int imm32() {
    return (int) (word >>> 26);
  }

  /** Signed 24-bit offset: branches, shared and local memory. */
  public int offset24() {
    return bits(49, 26) << 8 >> 8;
  }

  /** Signed offset of an atomic: bits 42:26 and 57:55. */
  public int offsetAtomic() {
    return (bits(42, 26) | bits(57, 55) << 17) << 12 >> 12;
  }

  /** Target of an atomic that returns what was there. */
  public int dstAtomic() {
    return bits(48, 43);
  }

  /** Log2 of an access's bytes, and its sign: the {@code size} field of loads and stores. */
  public int accessSize() {
    return bits(7, 5);
  }
}

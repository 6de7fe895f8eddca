package io.sluice.gpu.sm.isa;

/**
 * The two loads of LD_LDU and LDS_LDU, each as an instruction of its own. Both addresses are those
 * before the instruction.
 *
 * <pre>
 *  63  59|58 |57 53|52     43|42 38|37  32|31  26|25  20|19  14|13 10|9   5|4 |3  0
 *   code |.E | size| offset 1| off2| dst 1| src 2| src 1| dst 2| pred| off2|.S|group
 * </pre>
 *
 * <p>Offsets are signed and count accesses, not bytes. Bit 59 of LD_LDU is the first load's {@code
 * .E}.
 *
 * @param first from generic or shared memory
 * @param second from generic memory
 */
public record PairedLoad(Instruction first, Instruction second) {
  private static final int SMALL_SIZES = AccessSize.B32 + 1;

  /** The sizes behind all pairs of those up to four bytes. */
  private static final int[][] LARGE_SIZES = {
    {AccessSize.B32, AccessSize.B64},
    {AccessSize.B32, AccessSize.B128},
    {AccessSize.B64, AccessSize.B32},
    {AccessSize.B64, AccessSize.B64},
    {AccessSize.B64, AccessSize.B128},
    {AccessSize.B128, AccessSize.B32},
    {AccessSize.B128, AccessSize.B64},
  };

  private static final long PREDICATE = 0xfL << 10;
  private static final int OFFSET_BITS = 10;

  public static PairedLoad of(Instruction i) {
    int sizes = i.bits(57, 53);
    boolean small = sizes < SMALL_SIZES * SMALL_SIZES;
    int[] large = LARGE_SIZES[small ? 0 : sizes - SMALL_SIZES * SMALL_SIZES];
    int firstSize = small ? sizes / SMALL_SIZES : large[0];
    int secondSize = small ? sizes % SMALL_SIZES : large[1];
    int firstOffset = offset(i.bits(52, 43), firstSize);
    int secondOffset = offset(i.bits(42, 38) << 5 | i.bits(9, 5), secondSize);
    long first = fields(i, i.bits(37, 32), i.src1(), firstSize);
    long second = fields(i, i.dst(), i.src2(), secondSize);
    return new PairedLoad(
        i.form() == Opcode.LDS_LDU
            ? new Instruction(Opcode.LDS, Opcode.LDS.match() | first | near(firstOffset))
            : new Instruction(
                Opcode.LD, Opcode.LD.match() | first | generic(i.bit(59), firstOffset)),
        new Instruction(
            Opcode.LDU, Opcode.LDU.match() | second | generic(i.bit(58), secondOffset)));
  }

  private static int offset(int field, int size) {
    int unused = Integer.SIZE - OFFSET_BITS;
    return (field << unused >> unused) * AccessSize.bytes(size);
  }

  private static long fields(Instruction i, int target, int address, int size) {
    return i.word() & PREDICATE | (long) target << 14 | (long) address << 20 | (long) size << 5;
  }

  private static long generic(boolean extended, int offset) {
    return (extended ? 1L << 58 : 0) | (offset & 0xffff_ffffL) << 26;
  }

  private static long near(int offset) {
    return (offset & 0xffffffL) << 26;
  }
}

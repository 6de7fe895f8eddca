package io.sluice.gpu.sm;

import io.sluice.gpu.sm.decode.Effects;
import io.sluice.gpu.sm.decode.InstructionDecoder;
import io.sluice.gpu.sm.isa.AccessSize;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.Opcode;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Makes programs of all instructions, with branches that diverge, loops, calls and barriers, and
 * without races between warps: each warp has memory of its own, in which its lanes meet at random.
 *
 * <p>R0 to R11 and P0 to P3 are random's; R12 and R13 hold the address of the warp's memory, R14
 * the offset of its part of shared memory, R15 to R18 count loops; P4 to P6 steer them.
 */
public final class ProgramGenerator {
  /** Registers of a thread. */
  static final int REGISTERS = 24;

  /**
   * Bytes of memory that a warp has: 32 threads by 64 words for results, and as much to play in.
   */
  static final int WARP_BYTES = 16384;

  /** Bytes of shared memory that a warp has. */
  static final int WARP_SHARED_BYTES = 512;

  private static final int FREE = 12;
  private static final int FREE_PREDICATES = 4;
  private static final int PAIR = 12;
  private static final int SHARED = 14;
  private static final int COUNTER = 15;
  private static final int PT = 7;
  private static final int RZ = 63;
  private static final int PLAY = WARP_BYTES / 2;
  private static final int MAX_DEPTH = 3;
  private static final int ADDRESS = 20;

  /** Forms of single lanes whose every word with right registers can be executed. */
  private static final List<Opcode> PLAIN =
      List.of(
          Opcode.FMNMX,
          Opcode.FSET,
          Opcode.FSETP,
          Opcode.FFMA,
          Opcode.FCMP,
          Opcode.FADD,
          Opcode.FMUL,
          Opcode.RRO,
          Opcode.MUFU,
          Opcode.DMNMX,
          Opcode.DSET,
          Opcode.DSETP,
          Opcode.DFMA,
          Opcode.DADD,
          Opcode.DMUL,
          Opcode.IMAD32I,
          Opcode.IADD32I,
          Opcode.IMUL32I,
          Opcode.MOV32I,
          Opcode.FFMA32I,
          Opcode.FADD32I,
          Opcode.FMUL32I,
          Opcode.LOP32I,
          Opcode.ISCADD32I,
          Opcode.IMNMX,
          Opcode.ISET,
          Opcode.ISETP,
          Opcode.IMAD,
          Opcode.BFI,
          Opcode.ICMP,
          Opcode.ISAD,
          Opcode.ISCADD,
          Opcode.IADD,
          Opcode.IMUL,
          Opcode.SHR,
          Opcode.SHL,
          Opcode.LOP,
          Opcode.BFE,
          Opcode.FLO,
          Opcode.CSET,
          Opcode.CSETP,
          Opcode.PSET,
          Opcode.PSETP,
          Opcode.F2F,
          Opcode.F2I,
          Opcode.I2F,
          Opcode.I2I,
          Opcode.SEL,
          Opcode.PRMT,
          Opcode.MOV,
          Opcode.P2R,
          Opcode.NOP,
          Opcode.LEPC,
          Opcode.VOTE,
          Opcode.POPC,
          Opcode.VADD,
          Opcode.VMNMX,
          Opcode.VABSDIFF,
          Opcode.VSET,
          Opcode.VSHR,
          Opcode.VSHL,
          Opcode.VMAD,
          Opcode.VSETP);

  private final RandomGenerator random;
  private final boolean wild;
  private final List<Long> words = new ArrayList<>();
  private final List<Integer> calls = new ArrayList<>();
  private int loops;

  private ProgramGenerator(RandomGenerator random, boolean wild) {
    this.random = random;
    this.wild = wild;
  }

  /**
   * A program.
   *
   * @param length about how many instructions
   */
  public static List<Long> generate(RandomGenerator random, int length) {
    return generate(new ProgramGenerator(random, false), random, length);
  }

  /** A program some of whose accesses to shared memory go anywhere. */
  public static List<Long> generateWild(RandomGenerator random, int length) {
    return generate(new ProgramGenerator(random, true), random, length);
  }

  private static List<Long> generate(
      ProgramGenerator generator, RandomGenerator random, int length) {
    generator.prologue();
    while (generator.words.size() < length) {
      generator.statement(0);
      if (random.nextInt(12) == 0) {
        generator.barrier();
      }
    }
    generator.epilogue();
    generator.functions();
    return generator.words;
  }

  // ---- words ----

  private static long guard(int predicate, boolean negated) {
    return (long) predicate << 10 | (negated ? 1L << 13 : 0);
  }

  private static final long ALWAYS = guard(PT, false);

  private void add(long word) {
    words.add(word);
  }

  private static long dst(int register) {
    return (long) register << 14;
  }

  private static long src1(int register) {
    return (long) register << 20;
  }

  private static long src2(int register) {
    return (long) register << 26;
  }

  private static long immediate(int value) {
    return (value & 0xfffffL) << 26 | 3L << 46;
  }

  private static long constant(int offset) {
    return (long) (offset >> 2) << 28 | 1L << 46;
  }

  private void moveImmediate(int register, int value) {
    add(0x18000000000001e2L | ALWAYS | dst(register) | (value & 0xffff_ffffL) << 26);
  }

  private void special(int register, int index) {
    add(0x2c00000000000004L | ALWAYS | dst(register) | (long) index << 26);
  }

  private void addImmediate(int target, int source, int value) {
    add(0x4800000000000003L | ALWAYS | dst(target) | src1(source) | immediate(value));
  }

  private void andImmediate(int target, int source, int value) {
    add(0x3800000000000002L | ALWAYS | dst(target) | src1(source) | (value & 0xffff_ffffL) << 26);
  }

  private void shiftLeft(int target, int source, int count) {
    add(0x6000000000000003L | ALWAYS | dst(target) | src1(source) | immediate(count));
  }

  /** Compares unsigned with an immediate: condition bits 1 less, 2 equal, 4 greater. */
  private void compare(int predicate, int condition, int register, int value) {
    add(
        0x180e000000000003L
            | ALWAYS
            | (long) condition << 55
            | (long) predicate << 17
            | (long) PT << 14
            | src1(register)
            | immediate(value));
  }

  private static long offset(int from, int to) {
    return ((long) (to - from - 1) * 8 & 0xffffff) << 26;
  }

  /** A relative control instruction whose target is set later. */
  private int forward(long opcode) {
    add(opcode);
    return words.size() - 1;
  }

  private void bind(int at) {
    words.set(at, words.get(at) | offset(at, words.size()));
  }

  private void backward(long opcode, int target) {
    add(opcode | offset(words.size(), target));
  }

  // ---- programs ----

  private void prologue() {
    special(0, 0x21);
    special(1, 0x25);
    special(2, 0x00);
    // R3 = number of the warp in the grid: ctaid * c[0][8] + tid / 32
    add(0x5800000000000003L | ALWAYS | dst(3) | src1(0) | immediate(5));
    add(0x2000000000000003L | ALWAYS | dst(3) | src1(1) | constant(8) | (long) 3 << 49);
    moveImmediate(4, WARP_BYTES);
    // IMAD R12.CC = R3 * R4 + c[0][0x20]; IMAD.HI.X R13 likewise
    long factors = src1(3) | (long) 4 << 49 | constant(0x20) & ~(3L << 46) | 2L << 46;
    add(0x2001000000000003L | ALWAYS | dst(PAIR) | factors);
    long upper = src1(3) | (long) 4 << 49 | constant(0x24) & ~(3L << 46) | 2L << 46;
    add(0x2080000000000043L | ALWAYS | dst(PAIR + 1) | upper);
    // R14 = tid / 32 * WARP_SHARED_BYTES
    add(0x5800000000000003L | ALWAYS | dst(SHARED) | src1(0) | immediate(5));
    shiftLeft(SHARED, SHARED, Integer.numberOfTrailingZeros(WARP_SHARED_BYTES));
    for (int r = 4; r < FREE; r++) {
      moveImmediate(r, random.nextInt());
      // Different in each lane.
      add(0x5000000000000003L | ALWAYS | dst(r) | src1(r) | src2(r - 4 < 3 ? r - 4 : r - 1));
    }
  }

  /** Stores what every thread has to the results of its warp. */
  private void epilogue() {
    special(ADDRESS + 2, 0x00);
    shiftLeft(ADDRESS + 2, ADDRESS + 2, 8);
    add(0x4801000000000003L | ALWAYS | dst(ADDRESS) | src1(PAIR) | src2(ADDRESS + 2));
    add(0x4800000000000043L | ALWAYS | dst(ADDRESS + 1) | src1(PAIR + 1) | src2(RZ));
    for (int r = 0; r < FREE; r++) {
      store(r, ADDRESS, 4 * r);
    }
    // P2R with all bits: predicates and condition code; R19 only holds masks.
    moveImmediate(19, 0xffff);
    add(0x3000000000000004L | ALWAYS | dst(19) | src1(RZ) | src2(19));
    store(19, ADDRESS, 4 * FREE);
    add(0x80000000000001e7L | ALWAYS);
  }

  private void store(int register, int base, int at) {
    add(0x9400000000000085L | ALWAYS | dst(register) | src1(base) | (at & 0xffff_ffffL) << 26);
  }

  /** The functions that were called, behind the end. */
  private void functions() {
    for (int at : calls) {
      bind(at);
      for (int n = random.nextInt(6); n >= 0; n--) {
        plain();
      }
      if (random.nextBoolean()) {
        add(0x90000000000001e7L | guard(random.nextInt(FREE_PREDICATES), random.nextBoolean()));
        plain();
      }
      add(0x90000000000001e7L | ALWAYS);
    }
  }

  /** Sums and products of 64 bits, and chains of floats, as compilers make them. */
  private void chain() {
    int target = random.nextInt(FREE - 1);
    int a = random.nextInt(FREE);
    int b = random.nextInt(FREE);
    int c = random.nextInt(FREE - 1);
    switch (random.nextInt(3)) {
      case 0 -> {
        long signs = random.nextInt(8) & 5;
        long factors = src1(a) | src2(b);
        add(0x2001000000000003L | ALWAYS | dst(target) | factors | (long) c << 49);
        long upper = factors | (long) (c + 1) << 49 | signs << 5;
        add(0x2080000000000043L | ALWAYS | dst(target + 1) | upper);
      }
      case 1 -> {
        add(0x4801000000000003L | ALWAYS | dst(target) | src1(c) | src2(a));
        add(0x4800000000000043L | ALWAYS | dst(target + 1) | src1(c + 1) | src2(b));
      }
      default -> {
        for (int n = random.nextInt(4); n >= 0; n--) {
          long modifiers = random.nextInt(1 << 5) << 5 & 0x340L;
          long operands = src1(random.nextInt(FREE)) | src2(a) | (long) target << 49;
          add(0x3000000000000000L | randomGuard() | dst(target) | modifiers | operands);
        }
      }
    }
  }

  private void statement(int depth) {
    int kind = random.nextInt(depth < MAX_DEPTH ? 20 : 14);
    switch (kind) {
      case 4 -> chain();
      case 0, 1, 2 -> memory();
      case 3 -> atomic();
      case 5 -> pairedLoad();
      case 14 -> choice(depth);
      case 15 -> ownLoop(depth);
      case 16 -> breakLoop(depth);
      case 17 -> continueLoop(depth);
      case 18 -> calls.add(forward(0x5000000000000007L));
      case 19 -> leave(depth);
      default -> plain();
    }
  }

  private int free() {
    return random.nextInt(8) == 0 ? RZ : random.nextInt(FREE);
  }

  private long randomGuard() {
    return switch (random.nextInt(30)) {
      case 0 -> guard(PT, true);
      case 1, 2, 3, 4, 5, 6, 7, 8, 9 ->
          guard(random.nextInt(FREE_PREDICATES), random.nextBoolean());
      default -> ALWAYS;
    };
  }

  /** Any instruction that only computes, with any modifiers. */
  private void plain() {
    while (true) {
      Opcode opcode = PLAIN.get(random.nextInt(PLAIN.size()));
      long word = opcode.match() | random.nextLong() & ~opcode.mask();
      word &= ~(0x3c00L | 0x10L);
      word |= randomGuard();
      Instruction i = InstructionDecoder.decode(word);
      if (i.opcode() == opcode && isTame(i)) {
        add(word);
        return;
      }
    }
  }

  /** Whether it only touches what is random's. */
  private static boolean isTame(Instruction i) {
    Effects effects = Effects.of(i.form(), i);
    long free = (1L << FREE) - 1;
    boolean video = i.form().name().startsWith("V") && i.form() != Opcode.VOTE;
    boolean constant = i.group() != 2 && !video && usesConstant(i);
    return (effects.writes() & ~free) == 0
        && (effects.reads() & ~free) == 0
        && effects.registers() <= FREE
        && (effects.predicateWrites() & ~((1 << FREE_PREDICATES) - 1)) == 0
        && (!constant || i.constBank() == 0 && i.constOffset() < 0x100);
  }

  private static boolean usesConstant(Instruction i) {
    return i.mode() == Instruction.CONST_SECOND || i.mode() == Instruction.CONST_THIRD;
  }

  /** An address in the warp's own memory: R20 and R21, a multiple of 16. */
  private void playAddress() {
    int source = random.nextInt(FREE);
    andImmediate(19, source, 0xff0);
    addImmediate(19, 19, 0);
    add(0x4801000000000003L | ALWAYS | dst(ADDRESS) | src1(PAIR) | src2(19));
    add(0x4800000000000043L | ALWAYS | dst(ADDRESS + 1) | src1(PAIR + 1) | src2(RZ));
  }

  private void memory() {
    int size = random.nextInt(7);
    int words = size == 5 ? 2 : size == 6 ? 4 : 1;
    int register = random.nextInt(FREE - words + 1);
    boolean load = random.nextBoolean();
    int bytes = AccessSize.bytes(size);
    int at = random.nextInt(16 / bytes) * bytes;
    long common = randomGuard() | dst(register) | (long) size << 5;
    if (random.nextBoolean()) {
      playAddress();
      long address = src1(ADDRESS) | (PLAY + at & 0xffff_ffffL) << 26;
      add((load ? 0x8400000000000005L : 0x9400000000000005L) | common | address);
    } else {
      // Wild addresses are a little beyond the ends, or not aligned, or anywhere.
      boolean astray = wild && random.nextInt(4) == 0;
      int mask = astray ? random.nextInt(4) * 0x101 | 0x7f0 : WARP_SHARED_BYTES - 16;
      andImmediate(19, random.nextInt(FREE), mask);
      add(0x4800000000000003L | ALWAYS | dst(19) | src1(19) | src2(SHARED));
      if (astray && random.nextBoolean()) {
        addImmediate(19, 19, -random.nextInt(64));
      }
      long address = src1(19) | (long) at << 26;
      add((load ? 0xc100000000000005L : 0xc900000000000005L) | common | address);
    }
  }

  /** Two loads of words in one instruction. */
  private void pairedLoad() {
    playAddress();
    addImmediate(ADDRESS, ADDRESS, PLAY);
    int first = random.nextInt(FREE);
    int second = random.nextInt(FREE);
    long fields = randomGuard() | (long) first << 32 | dst(second) | 24L << 53 | 1L << 58;
    long offsets = (long) random.nextInt(4) << 5 | (long) random.nextInt(4) << 43;
    if (random.nextBoolean()) {
      add(0xb800000000000005L | fields | offsets | src1(ADDRESS) | src2(ADDRESS));
    } else {
      add(0xa800000000000005L | fields | offsets | src1(SHARED) | src2(ADDRESS));
    }
  }

  private void atomic() {
    playAddress();
    int operation = random.nextInt(8);
    int target = random.nextInt(FREE - 1);
    long address = src1(ADDRESS) | 1L << 58;
    long common = randomGuard() | dst(random.nextInt(FREE - 1)) | address;
    // The offset of an atomic is split: 42:26 and 57:55.
    long split = (PLAY & 0x1ffffL) << 26;
    long result = (long) target << 43;
    switch (random.nextInt(5)) {
      case 0 -> add(0x1000000000000005L | common | (long) operation << 5 | (long) PLAY << 26);
      case 1 -> add(0x507e000000000005L | common | (long) operation << 5 | split | result);
      case 2 -> add(0x587e000000000205L | common | (long) (operation % 3) << 5 | split | result);
      case 3 -> add(0x507e000000000105L | common | split | result);
      default ->
          add(0x5000000000000125L | common | split | result | (long) random.nextInt(FREE) << 49);
    }
  }

  private void barrier() {
    switch (random.nextInt(3)) {
      case 0 -> add(0x50ee0000ffffdc04L);
      case 1 -> add(0x50ee8000fc0fdc04L);
      default -> {
        long reduction = (long) random.nextInt(3) << 5;
        long result = dst(random.nextInt(FREE)) | (long) random.nextInt(FREE_PREDICATES) << 53;
        long vote = (long) random.nextInt(FREE_PREDICATES) << 49;
        add(0x50008000fc000004L | ALWAYS | reduction | result | vote);
      }
    }
  }

  private void body(int depth) {
    for (int n = random.nextInt(4); n >= 0; n--) {
      statement(depth + 1);
    }
  }

  /** SSY; a branch around one side; both sides end with .S. */
  private void choice(int depth) {
    int join = forward(0x6000000000000007L);
    int other =
        forward(0x40000000000001e7L | guard(random.nextInt(FREE_PREDICATES), random.nextBoolean()));
    body(depth);
    add(0x40000000000001f4L | ALWAYS);
    bind(other);
    body(depth);
    if (random.nextBoolean()) {
      // The last instruction of a side may itself be the one after which lanes meet.
      add(0x2800000000000014L | 0x1e0L | ALWAYS | dst(random.nextInt(FREE)) | src2(5));
    } else {
      add(0x40000000000001f4L | ALWAYS);
    }
    bind(join);
  }

  /** A loop of one block, whose lanes go through it different numbers of times. */
  private void ownLoop(int depth) {
    // Warps must come to barriers as a whole: what follows may depend on the order of warps else.
    boolean reconverges = depth == 0 || random.nextBoolean();
    int join = reconverges ? forward(0x6000000000000007L) : -1;
    int counter = COUNTER;
    andImmediate(counter, random.nextInt(FREE), 7);
    int start = words.size();
    for (int n = random.nextInt(5); n >= 0; n--) {
      plainButVote();
    }
    if (random.nextBoolean()) {
      playAddress();
      add(0x8400000000000085L | ALWAYS | dst(random.nextInt(FREE)) | src1(ADDRESS));
    }
    addImmediate(counter, counter, -1);
    compare(4, 1, counter, 7);
    backward(0x40000000000001e7L | guard(4, false), start);
    if (reconverges) {
      add(0x40000000000001f4L | ALWAYS);
      bind(join);
    }
  }

  private void plainButVote() {
    do {
      plain();
      if (InstructionDecoder.decode(words.get(words.size() - 1)).form() != Opcode.VOTE) {
        return;
      }
      words.remove(words.size() - 1);
    } while (true);
  }

  /** PBK; a loop that lanes leave with BRK. */
  private void breakLoop(int depth) {
    if (loops == 3) {
      plain();
      return;
    }
    int counter = COUNTER + 1 + loops++;
    andImmediate(counter, random.nextInt(FREE), 3);
    int end = forward(0x6800000000000007L);
    int start = words.size();
    compare(5, 2, counter, 0);
    add(0xa8000000000001e7L | guard(5, false));
    body(depth);
    addImmediate(counter, counter, -1);
    backward(0x40000000000001e7L | ALWAYS, start);
    bind(end);
    loops--;
  }

  /** A loop whose lanes meet before each time with PCNT and CONT. */
  private void continueLoop(int depth) {
    if (loops == 3) {
      plain();
      return;
    }
    int counter = COUNTER + 1 + loops++;
    andImmediate(counter, random.nextInt(FREE), 3);
    int end = forward(0x6800000000000007L);
    int start = words.size();
    backward(0x7000000000000007L, start);
    compare(6, 2, counter, 0);
    add(0xa8000000000001e7L | guard(6, false));
    addImmediate(counter, counter, -1);
    add(0xb0000000000001e7L | guard(random.nextInt(FREE_PREDICATES), random.nextBoolean()));
    body(depth);
    add(0xb0000000000001e7L | ALWAYS);
    bind(end);
    loops--;
  }

  /** Some lanes end. */
  private void leave(int depth) {
    if (depth == 0 && random.nextInt(4) == 0) {
      compare(5, 2, random.nextInt(FREE), random.nextInt(4));
      add(0x80000000000001e7L | guard(5, false));
    } else {
      plain();
    }
  }
}

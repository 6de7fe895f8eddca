package io.sluice.gpu.sm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.decode.InstructionDecoder;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.ImageBindings;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Executes one instruction with operands in registers, interpreted and compiled, and compares what
 * it leaves with what a test expects.
 *
 * <p>Of each lane R5:R4 is the first operand, R7:R6 the second, R9:R8 the third; R10 has the
 * predicates in bits 6:0 and the condition code in bits 15:12 before the instruction. The target is
 * R13:R12, which hold {@link #BEFORE} before it.
 */
public final class OneInstruction {
  /** An operand is two words; the first is the lower. */
  record Operands(int a, int aHigh, int b, int bHigh, int c, int cHigh, int flags) {
    long wideA() {
      return wide(a, aHigh);
    }

    long wideB() {
      return wide(b, bHigh);
    }

    long wideC() {
      return wide(c, cHigh);
    }

    private static long wide(int low, int high) {
      return (long) high << 32 | Integer.toUnsignedLong(low);
    }

    int zero() {
      return flags >>> 12 & 1;
    }

    int sign() {
      return flags >>> 13 & 1;
    }

    int carry() {
      return flags >>> 14 & 1;
    }

    int overflow() {
      return flags >>> 15 & 1;
    }

    boolean predicate(int p) {
      return p == 7 || (flags >>> p & 1) != 0;
    }
  }

  /**
   * What a lane has afterwards.
   *
   * @param low R12
   * @param high R13
   * @param flags predicates and condition code
   */
  record Result(int low, int high, int flags) {
    @Override
    public String toString() {
      HexFormat hex = HexFormat.of();
      return hex.toHexDigits(high) + " " + hex.toHexDigits(low) + " " + hex.toHexDigits(flags);
    }
  }

  /** What an instruction must do. */
  interface Oracle {
    Result of(Operands in);
  }

  /** What the target holds before the instruction. */
  static final int BEFORE = 0x5a5a5a5a;

  /** Instructions before those that are tried. */
  static final int FIRST = 11;

  /** Fields of an instruction with those registers: always, R12, R4, R6, and R8 as the third. */
  public static final long ALWAYS = 7L << 10;

  static final long REGISTERS = ALWAYS | 12L << 14 | 4L << 20 | 6L << 26;
  static final long THIRD = 8L << 49;

  private static final int LANES = 32;
  private static final long BASE = 0x20000000L;
  private static final long BANK0 = BASE + 0x1000;
  private static final long HIGH_BANK = BANK0 + 0x400;
  private static final long DATA = BASE + 0x2000;
  private static final long LOCAL = BASE + 0x3000;
  private static final int LOCAL_BYTES = 32;
  private static final int LANE_BYTES = 64;
  private static final int FLAGS = 0xf07f;
  private static final int[] CORNERS = {
    0,
    1,
    2,
    31,
    32,
    33,
    -1,
    -2,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffff,
    0x10000,
    0x7fff,
    0x8000,
    0x80,
    0xff,
    0x3f800000,
    0xbf800000,
    0x3f000000,
    0x40490fdb,
    0x7f800000,
    0xff800000,
    0x7fc00000,
    0x7f800001,
    0x7f7fffff,
    0xff7fffff,
    0x00800000,
    0x80800000,
    0x007fffff,
    0x80000001,
    0x00000001,
    0x4b000000,
    0x4b000001,
    0x5f000000,
    0x4f000000,
    0xcf000000,
    0x4effffff,
    0x33800000,
    0x3ff00000,
    0x7ff00000,
    0xfff00000,
    0x7fefffff,
    0x00100000,
    0x000fffff,
    0x40080000
  };

  /** What a lane leaves that has ended before its stores. */
  private static final Result NOTHING = new Result(0, 0, 0);

  private static final ThreadLocal<Set<Opcode>> CHECKED =
      ThreadLocal.withInitial(() -> EnumSet.noneOf(Opcode.class));

  /** Where tests may keep what instructions read, and how much. */
  static final long FREE = BASE + 0x5000;

  static final int FREE_BYTES = 0xf000;

  private final RandomGenerator random;
  private final Surroundings surroundings;

  OneInstruction(RandomGenerator random) {
    this(random, Surroundings.NONE);
  }

  OneInstruction(RandomGenerator random, Surroundings surroundings) {
    this.random = random;
    this.surroundings = surroundings;
  }

  /** What there is beside the instruction: bound images, what is in memory, and coordinates. */
  interface Surroundings {
    /** Nothing. */
    Surroundings NONE =
        new Surroundings() {
          @Override
          public ImageBindings images() {
            return ImageBindings.NONE;
          }

          @Override
          public void fill(FlatMemory memory) {}
        };

    ImageBindings images();

    /** Fills the memory from {@link #FREE} on. */
    void fill(FlatMemory memory);

    /** A word of an operand. */
    default int operand(OneInstruction one) {
      return one.any();
    }
  }

  /** What instructions must do that look at several lanes. */
  interface WarpOracle {
    /** The results by lane; null for a lane that must have ended before its stores. */
    List<@Nullable Result> of(List<Operands> in);
  }

  /** What has been checked in the test that runs. */
  static Set<Opcode> checked() {
    return CHECKED.get();
  }

  /** A test begins. */
  static void forgetChecked() {
    CHECKED.get().clear();
  }

  /**
   * Tries random operands, corners among them; then another form of the instruction, with an
   * immediate or a constant.
   */
  void check(String name, long word, Oracle oracle) {
    check(name, new long[] {word}, oracle);
    Opcode opcode = InstructionDecoder.decode(word).form();
    OperandForms.another(opcode, word, this, random)
        .ifPresent(form ->
            check(
                name + " " + form.kind(),
                new long[] {form.word()},
                operands(),
                new int[] {form.low(), form.high()},
                all -> each(all, in -> oracle.of(form.operands(in)))));
  }

  /** Tries a few instructions. */
  void check(String name, long[] words, Oracle oracle) {
    checkWarp(name, words, all -> each(all, oracle));
  }

  /** Tries a few instructions whose results depend on other lanes. */
  void checkWarp(String name, long[] words, WarpOracle oracle) {
    check(name, words, operands(), new int[2], oracle);
  }

  /** The same with words of constants, at {@link OperandForms#OFFSET} of banks 0 and 16. */
  void checkConstants(String name, long[] words, int[] constants, WarpOracle oracle) {
    check(name, words, operands(), constants, oracle);
  }

  /** How instructions end that are not executed to the end, interpreted and compiled. */
  List<GridOutcome> outcomes(long... words) {
    List<Operands> in = operands();
    for (long word : words) {
      CHECKED.get().add(InstructionDecoder.decode(word).form());
    }
    return List.of(
        start(memory(words, in, new int[0]), false).outcome(),
        start(memory(words, in, new int[0]), true).outcome());
  }

  private List<Operands> operands() {
    List<Operands> in = new ArrayList<>();
    for (int lane = 0; lane < LANES; lane++) {
      int[] w = IntStream.generate(() -> surroundings.operand(this)).limit(6).toArray();
      in.add(new Operands(w[0], w[1], w[2], w[3], w[4], w[5], random.nextInt() & FLAGS));
    }
    return in;
  }

  private static List<@Nullable Result> each(List<Operands> in, Oracle oracle) {
    List<@Nullable Result> results = new ArrayList<>();
    in.forEach(operands -> results.add(oracle.of(operands)));
    return results;
  }

  private void check(
      String name, long[] words, List<Operands> in, int[] constant, WarpOracle oracle) {
    for (long word : words) {
      Opcode opcode = InstructionDecoder.decode(word).opcode();
      assertThat(opcode).as("%s %016x", name, word).isNotNull();
      CHECKED.get().add(opcode);
    }
    List<Result> interpreted = run(words, in, constant, false);
    List<Result> compiled = run(words, in, constant, true);
    List<@Nullable Result> expected = oracle.of(in);
    for (int lane = 0; lane < LANES; lane++) {
      Result wanted = expected.get(lane) == null ? NOTHING : expected.get(lane);
      assertThat(interpreted.get(lane))
          .as("interpreted %s %016x of lane %d, %s", name, words[0], lane, in.get(lane))
          .isEqualTo(wanted);
      assertThat(compiled.get(lane))
          .as("compiled %s %016x of lane %d, %s", name, words[0], lane, in.get(lane))
          .isEqualTo(wanted);
    }
  }

  /** A random word: a corner, one close to it, a float of middling size, or any. */
  int any() {
    int corner = CORNERS[random.nextInt(CORNERS.length)];
    return switch (random.nextInt(4)) {
      case 0 -> corner;
      case 1 -> corner + random.nextInt(5) - 2;
      case 2 -> Float.floatToRawIntBits((random.nextFloat() - 0.5f) * (1 << random.nextInt(30)));
      default -> random.nextInt();
    };
  }

  private List<Result> run(long[] words, List<Operands> in, int[] constant, boolean compiled) {
    FlatMemory memory = memory(words, in, constant);
    GridRun run = start(memory, compiled);
    assertThat(run.outcome()).isEqualTo(new GridOutcome.Completed());
    assertThat(run.interpreted()).isEqualTo(compiled ? 0 : run.instructions());
    List<Result> results = new ArrayList<>();
    for (int lane = 0; lane < LANES; lane++) {
      long at = DATA + lane * LANE_BYTES + 32;
      results.add(new Result(memory.load32(at), memory.load32(at + 4), memory.load32(at + 8)));
    }
    return results;
  }

  private GridRun start(FlatMemory memory, boolean compiled) {
    surroundings.fill(memory);
    Grid grid = grid().with(surroundings.images());
    GridRun run =
        compiled
            ? GridRun.compiled(grid, new CompiledPrograms(), () -> memory, 1)
            : GridRun.interpreted(grid, () -> memory, 1);
    run.runInline(() -> false);
    return run;
  }

  private static FlatMemory memory(long[] words, List<Operands> in, int[] constant) {
    FlatMemory memory = new FlatMemory(BASE, 0x14000);
    long[] program = program(words);
    for (int i = 0; i < program.length; i++) {
      memory.store64(BASE + 8L * i, program[i]);
    }
    memory.store64(BANK0 + 0x20, DATA);
    for (int i = 0; i < constant.length; i++) {
      memory.store32(BANK0 + OperandForms.OFFSET + 4L * i, constant[i]);
      memory.store32(HIGH_BANK + OperandForms.OFFSET + 4L * i, constant[i]);
    }
    for (int lane = 0; lane < LANES; lane++) {
      Operands o = in.get(lane);
      int[] all = {o.a, o.aHigh, o.b, o.bHigh, o.c, o.cHigh, o.flags};
      for (int i = 0; i < all.length; i++) {
        memory.store32(DATA + lane * LANE_BYTES + 4L * i, all[i]);
      }
    }
    return memory;
  }

  private static long[] program(long[] words) {
    long all = 3L << 46 | (long) FLAGS << 26;
    long[] before = {
      0x2c00000000001c04L, // S2R R0, LANEID
      0x6000c00018001c03L, // SHL R0, R0, 6
      0x2800400080009de4L, // MOV R2, c[0][0x20]
      0x280040009000dde4L, // MOV R3, c[0][0x24]
      0x4801000000209c03L, // IADD.CC R2, R2, R0
      0x48000000fc30dc43L, // IADD.X R3, R3, RZ
      0x8400000000211cc5L, // LD.E.128 R4, [R2]
      0x8400000040221cc5L, // LD.E.128 R8, [R2+0x10]
      0x18000000000001e2L | ALWAYS | 12L << 14 | (long) BEFORE << 26, // MOV32I R12
      0x18000000000001e2L | ALWAYS | 13L << 14 | (long) BEFORE << 26,
      0x3400000000000004L | ALWAYS | 10L << 20 | all, // R2P R10
    };
    long[] after = {
      0x3000000000000004L | ALWAYS | 14L << 14 | 63L << 20 | all, // P2R R14
      0x94000000802300a5L | ALWAYS, // ST.E.64 [R2+0x20], R12
      0x94000000a0238085L | ALWAYS, // ST.E [R2+0x28], R14
      0x8000000000001de7L // EXIT
    };
    assertThat(before).hasSize(FIRST);
    return Stream.of(before, words, after).flatMapToLong(LongStream::of).toArray();
  }

  private static Grid grid() {
    List<Grid.Bank> banks = new ArrayList<>(Collections.nCopies(Grid.MAX_BANKS, Grid.Bank.UNBOUND));
    banks.set(0, new Grid.Bank(BANK0, 0x400));
    banks.set(OperandForms.HIGH_BANK, new Grid.Bank(HIGH_BANK, 0x400));
    return new Grid(
        1,
        1,
        1,
        LANES,
        1,
        1,
        16,
        0,
        LANES * LOCAL_BYTES,
        new Grid.Local(LOCAL, 0x10000, LANES * LOCAL_BYTES, LOCAL_BYTES, 0),
        0x200,
        BASE,
        0,
        0x01000000L,
        0x02000000L,
        1,
        0x1000,
        banks);
  }

  /** What an instruction leaves that writes R12 alone. */
  static Result word(Operands in, int result) {
    return new Result(result, BEFORE, in.flags);
  }

  /** What an instruction leaves that writes R13:R12. */
  static Result pair(Operands in, long result) {
    return new Result((int) result, (int) (result >>> 32), in.flags);
  }

  /** The same with another condition code. */
  static Result withCondition(
      Result result, boolean zero, boolean sign, boolean carry, boolean over) {
    int cc = (zero ? 1 : 0) | (sign ? 2 : 0) | (carry ? 4 : 0) | (over ? 8 : 0);
    return new Result(result.low, result.high, result.flags & 0x7f | cc << 12);
  }

  /** What an instruction leaves that writes two predicates; 7 is none. */
  static Result predicates(Operands in, int first, boolean p, int second, boolean q) {
    int flags = in.flags;
    if (first != 7) {
      flags = flags & ~(1 << first) | (p ? 1 << first : 0);
    }
    if (second != 7) {
      flags = flags & ~(1 << second) | (q ? 1 << second : 0);
    }
    return new Result(BEFORE, BEFORE, flags);
  }
}

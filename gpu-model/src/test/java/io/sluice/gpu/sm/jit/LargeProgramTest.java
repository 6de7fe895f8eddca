package io.sluice.gpu.sm.jit;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.FlatMemory;
import io.sluice.gpu.sm.GridOutcome;
import io.sluice.gpu.sm.GridRun;
import io.sluice.gpu.sm.Interpreter;
import io.sluice.gpu.sm.ProgramGenerator;
import io.sluice.gpu.sm.decode.Program;
import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.jit.plan.ProgramImage;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.testbed.fakes.Seeds;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Programs made to be hard to compile: long, full of branches, full of places that lanes meet at,
 * ever new ones. Nothing of them is interpreted, no method is too long for HotSpot, and what is
 * kept of them is limited.
 */
@ExtendWith(Seeds.class)
@Timeout(300)
final class LargeProgramTest {
  private static final long BASE = 0x20000000L;
  private static final int CODE_BYTES = 0x100000;
  private static final long DATA = BASE + CODE_BYTES;
  private static final long BANK0 = DATA + 0x1000;
  private static final int REGISTERS = 63;
  private static final long EXIT = 0x8000000000001de7L;
  private static final long BRA = 0x4000000000001de7L;
  private static final long SSY = 0x6000000000000007L;
  private static final long NOP = 0x4000000000001de4L;
  private static final long BPT = 0xd000000000001de7L;
  private static final long LANE_ID = 0x2c00000000000004L | ALWAYS;
  private static final long MOV_LOW = 0x2800400080009de4L; // MOV R2, c[0][0x20]
  private static final long MOV_HIGH = 0x280040009000dde4L; // MOV R3, c[0][0x24]

  /** R2 += 4 * R0, the lane. */
  private static final long[] OWN_WORD = {
    0x6000c00008001c03L, // SHL R0, R0, 2
    0x4801000000209c03L, // IADD.CC R2, R2, R0
    0x48000000fc30dc43L // IADD.X R3, R3, RZ
  };

  static long store(int register) {
    return 0x9400000000201c85L | (long) register << 14;
  }

  /** MOV32I. */
  private static long constant(int register, int value) {
    long word = Integer.toUnsignedLong(value) << 26;
    return 0x1800000000000002L | 0x1e0L | ALWAYS | (long) register << 14 | word;
  }

  static long add(int register, int n) {
    long registers = (long) register << 14 | (long) register << 20;
    return 0x4800000000000003L | ALWAYS | registers | (long) n << 26 | 3L << 46;
  }

  static long relative(long opcode, int skipped) {
    return opcode | (8L * skipped & 0xffffff) << 26;
  }

  /**
   * Conversions, permutations, roundings: instructions that take much bytecode, on all registers.
   */
  private static long heavy(RandomGenerator random) {
    long[] forms = {
      0x2400000000000004L,
      0x5000000000000000L | 1L << 55,
      0x5800000000000000L | 3L << 49,
      0x3000000000000000L | 1L << 7,
      0x2000000000000003L | 1L << 48,
      0x1000000000000004L | 1L << 49,
      0x7000000000000003L,
      0x4801000000000003L,
      0x1800000000000003L | 1L << 6
    };
    long form = forms[random.nextInt(forms.length)];
    boolean converts = (form & 7) == 4 && form >>> 58 == 4;
    long sizes = converts ? 2L << 20 | 2L << 23 : (long) register(random) << 20;
    long registers = (long) register(random) << 14 | (long) register(random) << 26 | sizes;
    boolean third = (form & 7) == 3 && form >>> 59 == 4 || form >>> 58 == 9 || form >>> 59 == 6;
    long guard = (long) random.nextInt(8) << 10;
    boolean compares = (form & 7) == 3 && form >>> 59 == 3;
    long targets = compares ? 7L << 49 | 1L << 55 : 0;
    return form | registers | guard | targets | (third ? (long) register(random) << 49 : 0);
  }

  /** Not those that hold the address. */
  private static int register(RandomGenerator random) {
    return 4 + random.nextInt(REGISTERS - 4);
  }

  static List<Long> begin() {
    List<Long> program = new ArrayList<>(List.of(LANE_ID, MOV_LOW, MOV_HIGH));
    for (long word : OWN_WORD) {
      program.add(word);
    }
    return program;
  }

  static List<Long> end(List<Long> program) {
    program.add(store(5));
    program.add(EXIT);
    return program;
  }

  private static List<Long> straight(RandomGenerator random, int length) {
    List<Long> program = begin();
    while (program.size() < length) {
      program.add(heavy(random));
    }
    return end(program);
  }

  /** Every second instruction branches forward for some lanes. */
  private static List<Long> branching(RandomGenerator random, int length) {
    List<Long> program = begin();
    while (program.size() < length) {
      long guard = (long) random.nextInt(8) << 10 | (random.nextBoolean() ? 1L << 13 : 0);
      program.add(relative(0x40000000000001e7L & ~0x3c00L | guard, random.nextInt(4)));
      program.add(heavy(random));
    }
    for (int n = 0; n < 5; n++) {
      program.add(add(5, 1));
    }
    return end(program);
  }

  /** SSY and the place it names, over and over. */
  private static List<Long> meeting(int length) {
    List<Long> program = begin();
    while (program.size() < length) {
      program.add(relative(SSY, 2));
      program.add(add(5, 3));
      program.add(0x4000000000001df4L); // NOP.S
    }
    return end(program);
  }

  private static FlatMemory load(List<Long> program) {
    FlatMemory memory = new FlatMemory(BASE, CODE_BYTES + 0x2000);
    assertThat(program.size() * 8).isLessThanOrEqualTo(CODE_BYTES);
    for (int i = 0; i < program.size(); i++) {
      memory.store64(BASE + 8L * i, program.get(i));
    }
    memory.store64(BANK0 + 0x20, DATA);
    return memory;
  }

  private static Grid grid() {
    List<Grid.Bank> banks = new ArrayList<>(Collections.nCopies(Grid.MAX_BANKS, Grid.Bank.UNBOUND));
    banks.set(0, new Grid.Bank(BANK0, 0x1000));
    return new Grid(
        1,
        1,
        1,
        32,
        1,
        1,
        REGISTERS,
        0,
        0,
        Grid.Local.NONE,
        0x20000,
        BASE,
        0,
        0x01000000L,
        0x02000000L,
        1,
        0,
        banks);
  }

  static ProgramImage image(List<Long> program) {
    FlatMemory memory = load(program);
    return ProgramImage.of(new Program(new GlobalMemory(memory, grid(), 0), grid()), 0);
  }

  private static void assertShortMethods(List<Long> program) {
    ProgramImage image = image(program);
    assertThat(image.instructions()).hasSizeLessThanOrEqualTo(ProgramImage.MAX_INSTRUCTIONS);
    byte[] bytes = ProgramCompiler.bytecode(image, 0).bytes();

    assertThat(ProgramCompiler.longestMethod(bytes)).isLessThanOrEqualTo(8000);
  }

  @Test
  void methods_ofGeneratedPrograms_areShortEnough(RandomGenerator random) {
    for (int n = 0; n < 100; n++) {
      long seed = random.nextLong();
      assertShortMethods(ProgramGenerator.generate(Seeds.generator(seed), 20 + n * 20));
    }
  }

  @Test
  void methods_ofHugePrograms_areShortEnough(RandomGenerator random) {
    assertShortMethods(straight(random, 4090));
    assertShortMethods(branching(random, 4090));
    assertShortMethods(meeting(4090));
  }

  /** Without groups the method that chooses among segments alone would be too long. */
  @Test
  void segments_ofManyBranches_areThousands(RandomGenerator random) {
    ProgramImage image = image(branching(random, 4090));

    assertThat(ProgramCompiler.bytecode(image, 0).plan().segments()).hasSizeGreaterThan(1500);
  }

  /** What cannot be looked at in one go is compiled when a warp comes there. */
  @Test
  void run_hugePrograms_interpretsNothing(RandomGenerator random) {
    assertRunsAlike(straight(random, 16_000));
    assertRunsAlike(branching(random, 12_000));
    assertRunsAlike(meeting(12_000));
  }

  static GridRun assertRunsAlike(List<Long> program) {
    FlatMemory expected = load(program);
    FlatMemory actual = load(program);
    GridOutcome outcome = new Interpreter(expected, () -> false).run(grid());
    GridRun run = GridRun.compiled(grid(), new CompiledPrograms(), () -> actual, 1);

    assertThat(run.runInline(() -> false)).isEqualTo(outcome);
    assertThat(outcome).isEqualTo(new GridOutcome.Completed());
    assertThat(actual.mismatch(expected)).isEqualTo(-1);
    assertThat(run.interpreted()).as("of %d", run.instructions()).isZero();
    return run;
  }

  /**
   * A jump to each of so many places, at an address in a register: R5 += 1, R6 += 8, then the next.
   */
  private static List<Long> computed(int places) {
    List<Long> program = begin();
    int first = program.size() + 1;
    long jump =
        0x0800000000000007L | 0x1e0L | ALWAYS | 6L << 20 | 8L * first << 26; // JMX R6 + first
    program.add(jump);
    for (int n = 0; n < places; n++) {
      program.add(add(5, 1));
      program.add(add(6, 24));
      program.add(n == places - 1 ? 0x4000000000001de4L : jump);
    }
    return end(program);
  }

  @Test
  void run_computedTargets_interpretsNothing() {
    assertRunsAlike(computed(100));
  }

  /** Each launch finds what the first one has compiled. */
  @Test
  void run_computedTargetsAgain_compilesNothingNew() {
    CompiledPrograms programs = new CompiledPrograms();
    FlatMemory memory = load(computed(50));
    GridRun.compiled(grid(), programs, () -> memory, 1).runInline(() -> false);
    long bytes = programs.bytes();

    GridRun.compiled(grid(), programs, () -> memory, 1).runInline(() -> false);

    assertThat(programs.bytes()).isEqualTo(bytes);
    assertThat(programs.size()).isEqualTo(1);
  }

  /** Beyond the limit they are interpreted, and that shows. */
  @Test
  void run_tooManyComputedTargets_countsWhatIsInterpreted() {
    List<Long> program = computed(2 * CompiledProgram.MAX_PARTS);
    FlatMemory expected = load(program);
    FlatMemory actual = load(program);
    GridOutcome unused = new Interpreter(expected, () -> false).run(grid());
    GridRun run = GridRun.compiled(grid(), new CompiledPrograms(), () -> actual, 1);

    assertThat(run.runInline(() -> false)).isEqualTo(unused);
    assertThat(actual.mismatch(expected)).isEqualTo(-1);
    assertThat(run.interpreted()).isGreaterThan(CompiledProgram.MAX_PARTS);
    assertThat(100 * run.interpreted()).isGreaterThan(run.instructions());
  }

  /**
   * A loop that pushes two tokens until there is no room for them, and that was changed before it
   * ran: what is there now is no step, and has no more instructions than the step had.
   */
  @Test
  void run_loopThatWasChangedSinceItWasCompiled_endsWhereTheStackIsFull() {
    List<Long> program = new ArrayList<>(List.of(MOV_LOW, MOV_HIGH));
    int loop = program.size() + 4;
    long elsewhere = relative(BRA, 2);
    program.add(constant(4, (int) elsewhere));
    program.add(constant(5, (int) (elsewhere >>> 32)));
    program.add(store(4) | 8L * loop << 26);
    program.add(store(5) | 8L * loop + 4 << 26);
    program.add(relative(SSY, 2));
    program.add(relative(SSY, 1));
    program.add(relative(BRA, -3));
    program.addAll(Collections.nCopies(64, NOP));
    program.add(BPT);
    FlatMemory memory = load(program);
    memory.store64(BANK0 + 0x20, BASE);
    GridRun run = GridRun.compiled(grid(), new CompiledPrograms(), () -> memory, 1);

    GridOutcome outcome = run.runInline(() -> false);

    assertThat(memory.load32(BASE + 8L * loop)).isEqualTo((int) elsewhere);
    assertThat(outcome).isInstanceOf(GridOutcome.Faulted.class);
    assertThat(((GridOutcome.Faulted) outcome).error()).isEqualTo(WarpError.STACK_ERROR);
    assertThat(run.interpreted()).isEqualTo(3);
  }

  /** A jump to an instruction, and nothing between that is one. */
  private static List<Long> jumping(int target) {
    List<Long> program = begin();
    program.add(0x0000000000001de7L | 8L * target << 26); // JMP
    while (program.size() < target) {
      program.add(BPT);
    }
    return end(program);
  }

  /**
   * The table of a part's steps is as long as its code is wide, however few instructions it has.
   */
  @Test
  void run_codeFarAway_isAPartOfItsOwn() {
    List<Long> program = jumping(CODE_BYTES / Instruction.BYTES - 2);
    NavigableMap<Integer, Instruction> seen = image(program).instructions();

    assertThat(seen.lastKey() - seen.firstKey())
        .isLessThanOrEqualTo(ProgramImage.MAX_INSTRUCTIONS * Instruction.BYTES);
    assertRunsAlike(program);
  }

  @Test
  void bytes_ofCodeWithAGap_haveTheTableOfItsSteps() {
    int gap = 4000;

    assertThat(bytesOf(jumping(gap + 10)) - bytesOf(jumping(10)))
        .isGreaterThanOrEqualTo(gap * Integer.BYTES);
  }

  private static long bytesOf(List<Long> program) {
    CompiledPrograms programs = new CompiledPrograms();
    FlatMemory memory = load(program);
    assertThat(GridRun.compiled(grid(), programs, () -> memory, 1).runInline(() -> false))
        .isEqualTo(new GridOutcome.Completed());
    return programs.bytes();
  }

  /** A constant bank whose page is gone concerns those that read it. */
  @Test
  void run_aConstantThatCannotBeRead_interpretsThatAlone() {
    long unreadable =
        0x2800000000000004L | 0x1e0L | 12L << 14 | 1L << 46 | 2L << 42; // @P0 MOV c[2]
    List<Long> program = begin();
    program.add(unreadable);
    for (int n = 0; n < 200; n++) {
      program.add(0x6000000000000007L | 0L << 26); // SSY to the next one: ends a segment
      program.add(add(5, 1));
    }
    end(program);
    FlatMemory memory = load(program);
    Grid plain = grid();
    List<Grid.Bank> banks = new ArrayList<>(plain.banks());
    banks.set(2, new Grid.Bank(0x7000_0000L, 0x1000));
    Grid broken =
        new Grid(
            1,
            1,
            1,
            32,
            1,
            1,
            REGISTERS,
            0,
            0,
            Grid.Local.NONE,
            0x20000,
            BASE,
            0,
            0x01000000L,
            0x02000000L,
            1,
            0,
            banks);
    GridRun run = GridRun.compiled(broken, new CompiledPrograms(), () -> memory, 1);

    assertThat(run.runInline(() -> false)).isEqualTo(new GridOutcome.Completed());
    assertThat(memory.load32(DATA)).isEqualTo(200);
    assertThat(run.interpreted()).isBetween(1L, 16L);
  }

  /** A guest that uploads ever new programs has the same number of them in the daemon. */
  @Test
  void programs_everNewOnes_areForgottenAndUnloaded() {
    CompiledPrograms programs = new CompiledPrograms();
    List<WeakReference<Class<?>>> classes = new ArrayList<>();
    for (int n = 0; n < 3 * CompiledPrograms.MAX_PROGRAMS; n++) {
      GridRun _ = storing(programs, n);
      programs.classes().forEach(type -> addIfNew(classes, type));
    }

    assertThat(programs.size()).isEqualTo(CompiledPrograms.MAX_PROGRAMS);
    assertThat(classes).hasSize(3 * CompiledPrograms.MAX_PROGRAMS);
    while (alive(classes) > CompiledPrograms.MAX_PROGRAMS) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(programs.size()).isEqualTo(CompiledPrograms.MAX_PROGRAMS);
  }

  /** A guest that sends ever new programs has them interpreted; one that it sends later is not. */
  @Test
  void programs_moreThanTheRate_areInterpretedAndCounted() {
    long[] nowNs = {0};
    CompileBudget budget = CompileBudget.of(() -> nowNs[0]);
    CompiledPrograms programs = new CompiledPrograms(budget);
    int beyond = 5;
    for (int n = 0; n < CompileBudget.AT_ONCE + beyond; n++) {
      GridRun run = storing(programs, n);
      assertThat(run.interpreted() > 0).as("n=%d", n).isEqualTo(n >= CompileBudget.AT_ONCE);
    }
    assertThat(budget.refused()).isEqualTo(beyond);
    nowNs[0] += CompileBudget.INTERVAL.toNanos();
    assertThat(storing(programs, CompileBudget.AT_ONCE).interpreted()).isZero();
    assertThat(storing(programs, CompileBudget.AT_ONCE).interpreted()).as("known").isZero();
    assertThat(storing(programs, CompileBudget.AT_ONCE + 1).interpreted()).isPositive();
  }

  /** Runs a program that stores a number, and looks whether it did. */
  private static GridRun storing(CompiledPrograms programs, int n) {
    List<Long> program = begin();
    program.add(constant(5, n));
    FlatMemory memory = load(end(program));
    GridRun run = GridRun.compiled(grid(), programs, () -> memory, 1);
    assertThat(run.runInline(() -> false)).isEqualTo(new GridOutcome.Completed());
    assertThat(memory.load32(DATA)).isEqualTo(n);
    return run;
  }

  private static void addIfNew(List<WeakReference<Class<?>>> classes, Class<?> type) {
    if (classes.stream().noneMatch(known -> known.get() == type)) {
      classes.add(new WeakReference<>(type));
    }
  }

  private static long alive(List<WeakReference<Class<?>>> classes) {
    return classes.stream().filter(type -> type.get() != null).count();
  }

  /** Large ones make room by their bytes long before they are too many. */
  @Test
  void programs_largeOnes_areForgottenByTheirBytes(RandomGenerator random) {
    CompiledPrograms programs = new CompiledPrograms();
    int runs = 0;
    while (programs.size() == runs) {
      FlatMemory memory = load(branching(random, 20_000));
      GridRun.compiled(grid(), programs, () -> memory, 1).runInline(() -> false);
      runs++;
    }

    FlatMemory memory = load(end(begin()));
    GridRun.compiled(grid(), programs, () -> memory, 1).runInline(() -> false);
    assertThat(runs).isLessThan(CompiledPrograms.MAX_PROGRAMS);
    assertThat(programs.bytes()).isLessThanOrEqualTo(CompiledPrograms.MAX_BYTES);
  }
}

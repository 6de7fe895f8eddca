package io.sluice.gpu.sm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.decode.InstructionDecoder;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Generated programs, run by the interpreter and compiled: every bit must be the same. */
@ExtendWith(Seeds.class)
final class DifferentialTest {
  private static final long BASE = 0x20000000L;
  private static final long CODE = BASE;
  private static final int CODE_BYTES = 0x10000;
  private static final long BANK0 = CODE + CODE_BYTES;
  private static final long DATA = BANK0 + 0x1000;
  private static final int BLOCKS = 2;
  private static final int THREADS = 80;
  private static final int WARPS = 3;
  private static final int DATA_BYTES = BLOCKS * WARPS * ProgramGenerator.WARP_BYTES;
  private static final int PROGRAMS = 150;
  private static final long NOP = 0x4000000000001de4L;
  private static final long EXIT = 0x8000000000001de7L;

  private long instructions;
  private long interpreted;

  @Test
  void run_generatedPrograms_giveTheSame(RandomGenerator random) {
    for (int n = 0; n < PROGRAMS; n++) {
      long seed = random.nextLong();
      List<Long> program =
          ProgramGenerator.generate(Seeds.generator(seed), 20 + random.nextInt(200));

      String difference = difference(program, seed);

      if (!difference.isEmpty()) {
        throw new AssertionError(
            "program %d: %s, with%n%s".formatted(n, difference, text(shrink(program, seed))));
      }
    }
    assertThat(interpreted).as("interpreted of %d", instructions).isZero();
  }

  /** Lanes that read and store beyond shared memory: the first fault is that of lanes in step. */
  @Test
  void run_wildAccesses_faultAlike(RandomGenerator random) {
    int faults = 0;
    for (int n = 0; n < PROGRAMS; n++) {
      long seed = random.nextLong();
      List<Long> program =
          ProgramGenerator.generateWild(Seeds.generator(seed), 20 + random.nextInt(100));
      Grid oneWarp = grid(1, 32);
      GridOutcome expected = new Interpreter(load(program, seed), () -> false).run(oneWarp);
      FlatMemory memory = load(program, seed);

      GridRun run = GridRun.compiled(oneWarp, new CompiledPrograms(), () -> memory, 1);

      assertThat(run.runInline(() -> false))
          .as("program %d%n%s", n, text(program))
          .isEqualTo(expected);
      faults += expected instanceof GridOutcome.Faulted ? 1 : 0;
    }
    assertThat(faults).as("programs that fault").isPositive();
  }

  /** The word's number must not come around to one that there is, whatever is added to it. */
  @Test
  void run_unalignedAddressesWhoseSumWrapsAround_faultAlike() {
    for (int base = -16; base < 16; base++) {
      for (int offset : new int[] {-0x800000, -12, -4, 0, 4, 8, 12, 16, 0x7ffffc}) {
        List<Long> program = List.of(moved(1, base), loadedShared(4, 1, offset), EXIT);
        Grid oneWarp = grid(1, 32);
        GridOutcome expected = new Interpreter(load(program, 1), () -> false).run(oneWarp);
        FlatMemory memory = load(program, 1);

        GridRun run = GridRun.compiled(oneWarp, new CompiledPrograms(), () -> memory, 1);

        assertThat(run.runInline(() -> false))
            .as("base %d, offset %d", base, offset)
            .isEqualTo(expected);
        assertThat(expected instanceof GridOutcome.Completed)
            .as("base %d, offset %d", base, offset)
            .isEqualTo((base + offset) % 4 == 0 && base + offset >= 0 && offset < 0x10000);
      }
    }
  }

  private static long moved(long register, int value) {
    return 0x1800000000001de2L | register << 14 | (value & 0xffff_ffffL) << 26;
  }

  private static long loadedShared(long to, long address, int offset) {
    return 0xc100000000001c85L | to << 14 | address << 20 | (offset & 0xff_ffffL) << 26;
  }

  /** What differs between the two ways to run a program; empty if nothing does. */
  private String difference(List<Long> program, long seed) {
    FlatMemory expected = load(program, seed);
    FlatMemory actual = load(program, seed);
    GridOutcome expectedOutcome = new Interpreter(expected, () -> false).run(grid());
    GridRun run = GridRun.compiled(grid(), new CompiledPrograms(), () -> actual, 1);
    GridOutcome actualOutcome = run.runInline(() -> false);
    instructions += run.instructions();
    interpreted += run.interpreted();
    if (!actualOutcome.equals(expectedOutcome)) {
      return actualOutcome + " instead of " + expectedOutcome;
    }
    long offset = actual.mismatch(expected);
    return offset < 0 ? "" : "first byte that differs at offset 0x" + Long.toHexString(offset);
  }

  /** Puts NOPs for instructions as long as there is a difference. */
  private List<Long> shrink(List<Long> program, long seed) {
    List<Long> smallest = new ArrayList<>(program);
    for (int at = 0; at < smallest.size(); at++) {
      long word = smallest.get(at);
      smallest.set(at, NOP);
      if (!endsAlike(smallest, seed)) {
        smallest.set(at, word);
      }
    }
    return smallest;
  }

  /** Whether a program still ends, and still differs. */
  private boolean endsAlike(List<Long> program, long seed) {
    int[] asked = {0};
    Interpreter interpreter = new Interpreter(load(program, seed), () -> ++asked[0] > 1000);
    boolean ends = interpreter.run(grid()) instanceof GridOutcome.Completed;
    return ends && !difference(program, seed).isEmpty();
  }

  private static String text(List<Long> program) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < program.size(); i++) {
      if (program.get(i) != NOP) {
        String form = String.valueOf(InstructionDecoder.decode(program.get(i)).opcode());
        text.append("%04x %016x %s%n".formatted(8 * i, program.get(i), form));
      }
    }
    return text.toString();
  }

  private static FlatMemory load(List<Long> program, long seed) {
    FlatMemory memory = new FlatMemory(BASE, (int) (DATA - BASE) + DATA_BYTES);
    assertThat(program.size() * 8).isLessThanOrEqualTo(CODE_BYTES);
    for (int i = 0; i < program.size(); i++) {
      memory.store64(CODE + 8L * i, program.get(i));
    }
    RandomGenerator random = Seeds.generator(seed);
    for (int i = 0x40; i < 0x108; i += 4) {
      memory.store32(BANK0 + i, random.nextInt());
    }
    memory.store32(BANK0 + 8, WARPS);
    memory.store64(BANK0 + 0x20, DATA);
    for (int i = 0; i < DATA_BYTES; i += 4) {
      memory.store32(DATA + i, random.nextInt());
    }
    return memory;
  }

  private static Grid grid() {
    return grid(BLOCKS, THREADS);
  }

  private static Grid grid(int blocks, int threads) {
    List<Grid.Bank> banks = new ArrayList<>(Collections.nCopies(Grid.MAX_BANKS, Grid.Bank.UNBOUND));
    banks.set(0, new Grid.Bank(BANK0, 0x1000));
    return new Grid(
        blocks,
        1,
        1,
        threads,
        1,
        1,
        ProgramGenerator.REGISTERS,
        1,
        WARPS * ProgramGenerator.WARP_SHARED_BYTES,
        Grid.Local.NONE,
        0x400,
        CODE,
        0,
        0x01000000L,
        0x02000000L,
        1,
        0x1000,
        banks);
  }
}

package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.decode.Program;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.HeapBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** The heap of a grid, from which workers take what they keep of constants and instructions. */
final class WorkerHeapTest {
  private static final long BASE = 0x2000_0000L;
  private static final int PAGE_BYTES = 4096;
  private static final int BANK_PAGES = 16;
  private static final int DATA_PAGES = BANK_PAGES + 2;
  private static final long BANK0 = BASE + BANK_PAGES * PAGE_BYTES;
  private static final long RESULT = BANK0 + PAGE_BYTES;
  private static final int FIRST_BANK = 2;
  private static final int END_BANK = 10;
  private static final int PAGES = (END_BANK - FIRST_BANK) * BANK_PAGES;
  private static final long NOP = 0x4000000000001de4L;
  private static final long EXIT = 0x8000000000001de7L;
  private static final long ENDLESS = 0x4000000000001de7L | 0xfffff8L << 26;

  /** Enough for a worker with one warp, and for hardly any pages beside those it has anyway. */
  private static final long SMALL_BYTES = 160 << 10;

  private final FlatMemory memory = new FlatMemory(BASE, DATA_PAGES * PAGE_BYTES);
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  private static Grid grid() {
    List<Grid.Bank> banks = new ArrayList<>(Collections.nCopies(Grid.MAX_BANKS, Grid.Bank.UNBOUND));
    banks.set(0, new Grid.Bank(BANK0, PAGE_BYTES));
    for (int bank = FIRST_BANK; bank < END_BANK; bank++) {
      banks.set(bank, new Grid.Bank(BASE, BANK_PAGES * PAGE_BYTES));
    }
    return new Grid(
        1,
        1,
        1,
        32,
        1,
        1,
        16,
        0,
        0,
        Grid.Local.NONE,
        0x400,
        BASE,
        0,
        0x01000000L,
        0x02000000L,
        1,
        0,
        banks);
  }

  /** A sum of a word of each page of each bank, and its store. */
  private int loadSum(long last) {
    List<Long> program = new ArrayList<>();
    program.add(0x2800400080009de4L); // MOV R2, c[0][0x20]
    program.add(0x280040009000dde4L); // MOV R3, c[0][0x24]
    program.add(0x1800000000000002L | 0x1e0L | ALWAYS | 5L << 14); // MOV32I R5, 0
    int sum = 0;
    for (int n = 0; n < PAGES; n++) {
      long bank = FIRST_BANK + n % (END_BANK - FIRST_BANK);
      int offset = n / (END_BANK - FIRST_BANK) * PAGE_BYTES + PAGE_BYTES - 4;
      long constant = 1L << 46 | bank << 42 | (long) offset << 26;
      program.add(0x4800000000000003L | ALWAYS | 5L << 14 | 5L << 20 | constant); // IADD
      memory.store32(BASE + offset, offset);
      sum += offset;
    }
    program.add(0x9400000000201c85L | 5L << 14); // ST [R2], R5
    program.add(last);
    for (int n = 0; n < program.size(); n++) {
      memory.store64(BASE + 8L * n, program.get(n));
    }
    memory.store64(BANK0 + 0x20, RESULT);
    return sum;
  }

  private GridRun start(HeapBudget heap) {
    GridRun run =
        GridRun.compiled(
            grid(),
            new CompiledPrograms(),
            () -> memory,
            1,
            new GridRun.Resources(heap, () -> 0, () -> 0));
    assertThat(run.reserve()).isTrue();
    run.start(tasks::add, () -> true, () -> {});
    return run;
  }

  @Test
  void constants_thatAWorkerKeeps_areTakenFromTheHeap() {
    int sum = loadSum(ENDLESS);
    HeapBudget heap = new HeapBudget(1 << 30);
    GridRun run = start(heap);
    long before = heap.usedBytes();
    while (memory.load32(RESULT) != sum) {
      tasks.remove().run();
    }

    assertThat(heap.usedBytes() - before)
        .isBetween((PAGES - 4L) * PAGE_BYTES, 2L * PAGES * PAGE_BYTES);
    run.kill();
    tasks.remove().run();
    assertThat(heap.usedBytes()).isZero();
  }

  @Test
  void constants_whereTheHeapHasNoMore_areReadAgain() {
    int sum = loadSum(EXIT);
    GridRun run = start(new HeapBudget(SMALL_BYTES));
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }

    assertThat(run.outcome()).isEqualTo(new GridOutcome.Completed());
    assertThat(memory.load32(RESULT)).isEqualTo(sum);
  }

  /** A program of more instructions than are kept has them decoded each time. */
  @Test
  void instructions_moreThanAreKept_areReadAgain() {
    int count = BANK_PAGES * PAGE_BYTES / 8;
    for (int n = 0; n < count; n++) {
      memory.store64(BASE + 8L * n, NOP);
    }
    Program program = new Program(new GlobalMemory(memory, grid(), 0), grid());
    assertThat(program.at(0).form()).isEqualTo(Opcode.NOP);
    memory.store64(BASE, EXIT);
    assertThat(program.at(0).form()).as("kept").isEqualTo(Opcode.NOP);

    for (int n = 1; n < count; n++) {
      assertThat(program.at(8 * n).form()).isEqualTo(Opcode.NOP);
    }

    assertThat(program.at(0).form()).isEqualTo(Opcode.EXIT);
  }
}

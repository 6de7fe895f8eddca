package io.sluice.gpu.sm;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.warp.Grid;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runs the two kernels whose words are known from outside: one by nvcc, one by hand. */
final class GoldenKernelTest {
  private static final long BASE = 0x20000000L;
  private static final long CODE = BASE;
  private static final long BANK0 = BASE + 0x1000;
  private static final long BANK1 = BASE + 0x2000;
  private static final long A = BASE + 0x4000;
  private static final long B = BASE + 0x5000;
  private static final long C = BASE + 0x6000;

  /** a[i] = y[i] - x[i] * x[i], floats; thread index only (nvcc's output for sm_20). */
  private static final long[] KERNEL_A = {
    0x2800440400005de4L, 0x2c0000008400dc04L, 0x1800000010015de2L, 0x200b800080321c03L,
    0x208a800090325c43L, 0x200b8000a0319c03L, 0x8400000000801c85L, 0x208a8000b031dc43L,
    0x200b8000c0311c03L, 0x8400000000609c85L, 0x208a8000d0315c43L, 0x3004000000001e40L,
    0x9400000000401c85L, 0x8000000000001de7L
  };

  /** c = a * b of n by n unsigned words. */
  private static final long[] KERNEL_B = {
    0x2800440400005de4L, 0x2c00000098009c04L, 0x2c0000008800dc04L, 0x2006400030209c03L,
    0x2c00000094011c04L, 0x2c00000084015c04L, 0x200a40002040dc03L, 0x1b0e4000e021dc03L,
    0x1b204000e031dc03L, 0x80000000000001e7L, 0x28000000fc019de4L, 0x50004000e021dc03L,
    0x28000000fc021de4L, 0x1800000010025de2L, 0x4800000020729c03L, 0x2013800080a31c03L,
    0x2092800090a35c43L, 0x8400000000c39c85L, 0x20064000e0829c03L, 0x20138000a0a41c03L,
    0x20928000b0a45c43L, 0x8400000001049c85L, 0x4800c00004821c03L, 0x200c000048e19c03L,
    0x188e4000e083dc03L, 0x4003fffe800005e7L, 0x480000000c729c03L, 0x20138000c0a31c03L,
    0x20928000d0a35c43L, 0x9400000000c19c85L, 0x8000000000001de7L
  };

  private final FlatMemory memory = new FlatMemory(BASE, 0x10000);

  @Test
  void run_nvccKernel_givesTheReference() {
    load(KERNEL_A);
    parameters(4, 1, 32, 1);
    memory.store64(BANK0 + 0x20, A);
    memory.store64(BANK0 + 0x28, B);
    memory.store64(BANK0 + 0x30, C);
    for (int i = 0; i < 32; i++) {
      memory.store32(A + 4L * i, Float.floatToRawIntBits(i * 0.5f));
      memory.store32(B + 4L * i, Float.floatToRawIntBits(i * 3f));
    }

    GridOutcome outcome = interpreter().run(grid(1, 1, 32, 1));

    assertThat(outcome).isInstanceOf(GridOutcome.Completed.class);
    for (int i = 0; i < 32; i++) {
      float x = i * 0.5f;
      float y = i * 3f;
      float expected = Math.fma(-x, x, y);
      float got = Float.intBitsToFloat(memory.load32(C + 4L * i));
      assertThat(got).as("element %d", i).isEqualTo(expected);
    }
  }

  @Test
  void run_multiply_givesTheReference() {
    int n = 5;
    load(KERNEL_B);
    parameters(2, 2, 4, 4);
    memory.store64(BANK0 + 0x20, A);
    memory.store64(BANK0 + 0x28, B);
    memory.store64(BANK0 + 0x30, C);
    memory.store32(BANK0 + 0x38, n);
    for (int i = 0; i < n * n; i++) {
      memory.store32(A + 4L * i, 3 * i + 1);
      memory.store32(B + 4L * i, 7 * i + 2);
    }

    GridOutcome outcome = interpreter().run(grid(2, 2, 4, 4));

    assertThat(outcome).isInstanceOf(GridOutcome.Completed.class);
    for (int row = 0; row < n; row++) {
      for (int column = 0; column < n; column++) {
        int sum = 0;
        for (int k = 0; k < n; k++) {
          sum += (3 * (row * n + k) + 1) * (7 * (k * n + column) + 2);
        }
        assertThat(memory.load32(C + 4L * (row * n + column)))
            .as("row %d column %d", row, column)
            .isEqualTo(sum);
      }
    }
  }

  @Test
  void run_unmappedPointer_isAPageFaultWithItsAddress() {
    load(KERNEL_B);
    parameters(1, 1, 4, 4);
    memory.store64(BANK0 + 0x20, 0x7000000000L);
    memory.store64(BANK0 + 0x28, B);
    memory.store64(BANK0 + 0x30, C);
    memory.store32(BANK0 + 0x38, 4);

    GridOutcome outcome = interpreter().run(grid(1, 1, 4, 4));

    assertThat(outcome).isEqualTo(new GridOutcome.PageFault(0x88, 0x7000000000L, false, 2));
  }

  /** As the program of Gdev's matrixadd does: nvcc's first instruction, with bank 1 not bound. */
  @Test
  void run_constantOfNoBank_isZero() {
    load(
        new long[] {
          0x2800440400005de4L, // MOV R1, c[1][0x100]
          0x28004000c0011de4L, // MOV R4, c[0][0x30]
          0x28004000d0015de4L, // MOV R5, c[0][0x34]
          0x9400000000405c85L, // ST.E [R4], R1
          0x8000000000001de7L, // EXIT
        });
    parameters(1, 1, 1, 1);
    memory.store64(BANK0 + 0x30, C);
    memory.store32(C, 0x5eed);

    GridOutcome outcome = interpreter().run(grid(1, 1, 1, 1, 20, Grid.Bank.UNBOUND));

    assertThat(outcome).isInstanceOf(GridOutcome.Completed.class);
    assertThat(memory.load32(C)).isZero();
  }

  @Test
  void run_registerBeyondThoseAsked_isAFault() {
    load(KERNEL_B);
    parameters(1, 1, 4, 4);
    Grid small = grid(1, 1, 4, 4, 4);

    GridOutcome outcome = interpreter().run(small);

    assertThat(outcome)
        .isInstanceOfSatisfying(
            GridOutcome.Faulted.class,
            fault -> assertThat(fault.error()).isEqualTo(WarpError.GPR_OUT_OF_BOUNDS));
  }

  @Test
  void run_endlessLoop_endsWhenKilled() {
    memory.store64(CODE, 0x4003ffffe0001de7L); // BRA to itself
    parameters(1, 1, 1, 1);

    GridOutcome outcome = new Interpreter(memory, () -> true).run(grid(1, 1, 1, 1));

    assertThat(outcome).isInstanceOf(GridOutcome.Killed.class);
  }

  @Test
  void run_illegalWord_isAFaultAtItsPc() {
    memory.store64(CODE, 0x4000000000001de4L); // NOP
    memory.store64(CODE + 8, 0xffffffffffffffffL);
    parameters(1, 1, 1, 1);

    GridOutcome outcome = interpreter().run(grid(1, 1, 1, 1));

    assertThat(outcome).isEqualTo(new GridOutcome.Faulted(WarpError.INVALID_OPCODE, 8, 8));
  }

  private Interpreter interpreter() {
    return new Interpreter(memory, () -> false);
  }

  private void load(long[] words) {
    for (int i = 0; i < words.length; i++) {
      memory.store64(CODE + 8L * i, words[i]);
    }
  }

  /** What the driver puts at the start of c[0], and the stack pointer in c[1]. */
  private void parameters(int gridX, int gridY, int blockX, int blockY) {
    int[] head = {0x01000000, 0x02000000, blockX, blockY, 1, gridX, gridY, 1};
    for (int i = 0; i < head.length; i++) {
      memory.store32(BANK0 + 4L * i, head[i]);
    }
    memory.store32(BANK1 + 0x100, 0x00fffc40);
  }

  private static Grid grid(int gridX, int gridY, int blockX, int blockY) {
    return grid(gridX, gridY, blockX, blockY, 20);
  }

  private static Grid grid(int gridX, int gridY, int blockX, int blockY, int registers) {
    return grid(gridX, gridY, blockX, blockY, registers, new Grid.Bank(BANK1, 0x1000));
  }

  private static Grid grid(
      int gridX, int gridY, int blockX, int blockY, int registers, Grid.Bank stackPointer) {
    List<Grid.Bank> banks = new ArrayList<>(Collections.nCopies(Grid.MAX_BANKS, Grid.Bank.UNBOUND));
    banks.set(0, new Grid.Bank(BANK0, 0x100));
    banks.set(1, stackPointer);
    return new Grid(
        gridX,
        gridY,
        1,
        blockX,
        blockY,
        1,
        registers,
        0,
        0,
        Grid.Local.NONE,
        0x200,
        CODE,
        0,
        0x01000000L,
        0x02000000L,
        1,
        0x1000,
        banks);
  }
}

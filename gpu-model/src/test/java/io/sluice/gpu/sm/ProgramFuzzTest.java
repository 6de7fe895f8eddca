package io.sluice.gpu.sm;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.gpu.sm.jit.CompiledPrograms;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.testbed.fakes.Seeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Words of any kind as a program, decoded and run by the interpreter, and decoded, compiled and
 * run: they end alike, by the same fault of the same instruction or with the same memory, and never
 * by an error of ours. Which lanes have stored when another faults is nobody's promise.
 */
final class ProgramFuzzTest {
  private static final int MAX_WORDS = 96;
  private static final int MAX_ASKED = 200;
  private static final int LANES = 32;
  private static final long BASE = 0x20000000L;
  private static final long BANK0 = BASE + 0x1000;
  private static final long DATA = BANK0 + 0x1000;
  private static final int DATA_BYTES = 0x8000;
  private static final long EXIT = 0x8000000000001de7L;

  /** Generated programs, which use all instructions. */
  static Stream<byte[]> programs() {
    return Stream.of(1, 2, 3, 4, 5, 6)
        .map(seed -> {
          RandomGenerator random = Seeds.generator(seed);
          List<Long> words =
              seed % 2 == 0
                  ? ProgramGenerator.generate(random, 20)
                  : ProgramGenerator.generateWild(random, 20);
          ByteBuffer bytes = ByteBuffer.allocate(8 * words.size()).order(ByteOrder.LITTLE_ENDIAN);
          words.forEach(bytes::putLong);
          return bytes.array();
        });
  }

  @MethodSource("programs")
  @FuzzTest
  void program(byte[] input) {
    Asked asked = new Asked();
    FlatMemory expected = load(input);
    GridOutcome outcome = new Interpreter(expected, asked).run(grid());
    assertThat(outcome).isNotInstanceOf(GridOutcome.Failed.class);
    FlatMemory actual = load(input);
    Asked again = new Asked();
    GridRun run = GridRun.compiled(grid(), new CompiledPrograms(), () -> actual, 1);
    GridOutcome compiled = run.runInline(again);
    assertThat(compiled).isNotInstanceOf(GridOutcome.Failed.class);
    if (!asked.stopped && !again.stopped) {
      assertThat(compiled).isEqualTo(outcome);
      if (outcome instanceof GridOutcome.Completed) {
        assertThat(actual.mismatch(expected)).isEqualTo(-1);
      }
    }
  }

  /** Stops what does not end by itself. */
  private static final class Asked implements BooleanSupplier {
    private int times;
    private boolean stopped;

    @Override
    public boolean getAsBoolean() {
      times++;
      stopped |= times > MAX_ASKED;
      return stopped;
    }
  }

  private static FlatMemory load(byte[] input) {
    FlatMemory memory = new FlatMemory(BASE, (int) (DATA - BASE) + DATA_BYTES);
    ByteBuffer words = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    int count = Math.min(MAX_WORDS, input.length / 8);
    for (int i = 0; i < count; i++) {
      memory.store64(BASE + 8L * i, words.getLong(8 * i));
    }
    memory.store64(BASE + 8L * count, EXIT);
    RandomGenerator random = Seeds.generator(1);
    for (int i = 0x40; i < 0x108; i += 4) {
      memory.store32(BANK0 + i, random.nextInt());
    }
    memory.store32(BANK0 + 8, 1);
    memory.store64(BANK0 + 0x20, DATA);
    for (int i = 0; i < DATA_BYTES; i += 64) {
      memory.store32(DATA + i, random.nextInt());
    }
    return memory;
  }

  private static Grid grid() {
    List<Grid.Bank> banks = new ArrayList<>(Collections.nCopies(Grid.MAX_BANKS, Grid.Bank.UNBOUND));
    banks.set(0, new Grid.Bank(BANK0, 0x1000));
    return new Grid(
        1,
        1,
        1,
        LANES,
        1,
        1,
        ProgramGenerator.REGISTERS,
        1,
        ProgramGenerator.WARP_SHARED_BYTES,
        Grid.Local.NONE,
        0x400,
        BASE,
        0,
        0x01000000L,
        0x02000000L,
        1,
        0x1000,
        banks);
  }
}

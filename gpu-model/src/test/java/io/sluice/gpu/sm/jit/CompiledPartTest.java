package io.sluice.gpu.sm.jit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.jit.plan.ProgramImage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The bytes that a part of a compiled program says it takes. */
final class CompiledPartTest {
  private static final int PARTS = 16;
  private static final int PAIRS = 2000;
  private static final long MOV = 0x2800400000015de4L; // MOV R5, c[0][0]

  /** The rest of the heap changes by less. */
  private static final long NOISE_BYTES = 4 << 20;

  /** Of two instructions each: a store, after which nothing is loaded, and another constant. */
  private static ProgramImage manySteps() {
    List<Long> program = LargeProgramTest.begin();
    for (long n = 0; n < PAIRS; n++) {
      program.add(LargeProgramTest.store(5));
      program.add(MOV | 4 * n << 26);
    }
    return LargeProgramTest.image(LargeProgramTest.end(program));
  }

  private static long usedBytes() {
    Runtime runtime = Runtime.getRuntime();
    for (int n = 0; n < 3; n++) {
      System.gc();
    }
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Its class is not on the heap, and is left out. */
  @Test
  void bytes_ofManyStepsAndConstants_isNoLessThanTheyTake() {
    int classBytes = ProgramCompiler.bytecode(manySteps(), 0).bytes().length;
    List<CompiledPart> parts = new ArrayList<>();
    long before = usedBytes();
    for (int n = 0; n < PARTS; n++) {
      parts.add(ProgramCompiler.part(manySteps(), 0));
    }
    long taken = usedBytes() - before;

    assertThat(parts.getFirst().segments()).hasSizeGreaterThan(PAIRS);
    long said = parts.stream().mapToLong(part -> part.bytes() - classBytes).sum();
    assertThat(said).isBetween(taken - NOISE_BYTES, 2 * taken);
  }
}

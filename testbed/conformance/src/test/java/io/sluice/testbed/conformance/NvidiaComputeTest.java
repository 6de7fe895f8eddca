package io.sluice.testbed.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Layouts;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.nvidia.HopperCommands;
import io.sluice.channel.nvidia.NvidiaGpu;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A kernel launched through a guest's own ring, against the same on the CPU. */
final class NvidiaComputeTest {
  private static final long DATA = 0x40_0000_0000L;
  private static final long CODE = 0x50_0000_0000L;
  private static final long CONSTANTS = 0x1_0000;
  private static final long QMD = 0x1_1000;
  private static final long OUT = 1 << 20;
  private static final int BLOCK = 256;
  private static final int COUNT = 200_003;
  private static final int GRID = (COUNT + BLOCK - 1) / BLOCK;

  private static final int COMPUTE = 1;

  @Test
  void kernel_ofTwoGuestsAtTheSameAddresses_agreesWithTheCpu() throws Exception {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("sluice.seed=" + seed);
    NvidiaGpu gpu = NvidiaRig.open();
    try {
      Optional<Cubin> compiled = Cubin.compile("mix.cu");
      Assumptions.assumeTrue(compiled.isPresent(), "nvcc is not on the PATH");
      Cubin cubin = compiled.orElseThrow();
      try (var a = new NvidiaRig.Guest(gpu, "a", NvidiaRig.COMPUTE_CLASS);
          var b = new NvidiaRig.Guest(gpu, "b", NvidiaRig.COMPUTE_CLASS)) {
        int factor = 0x9e37_79b1;
        for (var guest : List.of(a, b)) {
          run(guest, cubin, new Random(seed + factor), factor);
          factor += 2;
        }
      }
    } finally {
      gpu.close();
    }
  }

  private static void run(NvidiaRig.Guest guest, Cubin cubin, Random random, int factor) {
    GpuMemory memory = guest.allocate(true, 2 * OUT);
    GpuMemory program = guest.allocate(true, 0x2_0000);
    guest.mapAt(memory, DATA);
    guest.mapAt(program, CODE);
    MemorySegment data = guest.cpu(memory);
    int[] in = random.ints(COUNT).toArray();
    for (int i = 0; i < COUNT; i++) {
      data.set(Layouts.U32, 4L * i, in[i]);
      data.set(Layouts.U32, OUT + 4L * i, 0xdead_beef);
    }
    data.set(Layouts.U32, OUT + 4L * COUNT, 0x600d_600d); // the element behind the last
    MemorySegment at = guest.cpu(program);
    MemorySegment.copy(MemorySegment.ofArray(cubin.code()), 0, at, 0, cubin.code().length);
    Qmd.storeConstants(at, CONSTANTS, GRID, BLOCK);
    long parameters = CONSTANTS + cubin.parameterBase();
    at.set(Layouts.U64, parameters, DATA);
    at.set(Layouts.U64, parameters + 8, DATA + OUT);
    at.set(Layouts.U32, parameters + 16, COUNT);
    at.set(Layouts.U32, parameters + 20, factor);
    new Qmd(cubin, CODE, CODE + CONSTANTS, GRID, BLOCK).store(at, QMD);
    HopperCommands launch =
        new HopperCommands()
            .method(COMPUTE, 0, NvidiaRig.COMPUTE_CLASS)
            .method(COMPUTE, 0x2a0, (int) (Qmd.SHARED_WINDOW >>> 32), (int) Qmd.SHARED_WINDOW)
            .method(COMPUTE, 0x7b0, (int) (Qmd.LOCAL_WINDOW >>> 32), (int) Qmd.LOCAL_WINDOW)
            .method(COMPUTE, 0x1698, 0x1011) // invalidate caches
            .method(COMPUTE, 0x2b4, (int) (CODE + QMD >>> 8))
            .method(COMPUTE, 0x2c0, 3);
    assertThat(guest.run(launch))
        .as("kernel finishes, %s", guest.queue.channel().status())
        .isTrue();
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) {
      wrong += data.get(Layouts.U32, OUT + 4L * i) == in[i] * factor + i ? 0 : 1;
    }
    assertThat(wrong).as("wrong elements of %d", COUNT).isZero();
    assertThat(data.get(Layouts.U32, OUT + 4L * COUNT)).isEqualTo(0x600d_600d);
  }
}

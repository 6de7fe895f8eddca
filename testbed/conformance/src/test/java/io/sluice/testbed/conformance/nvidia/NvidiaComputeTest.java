package io.sluice.testbed.conformance.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Layouts;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperLaunch;
import io.sluice.testbed.conformance.rig.Cubin;
import io.sluice.testbed.conformance.rig.NvidiaRig;
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
  private static final long QMD = 0x1_1000;
  private static final long OUT = 1 << 20;
  private static final int BLOCK = 256;
  private static final int COUNT = 200_003;
  private static final int GRID = (COUNT + BLOCK - 1) / BLOCK;

  @Test
  void kernel_ofTwoGuestsAtTheSameAddresses_agreesWithTheCpu() throws Exception {
    long seed = Long.getLong("sluice.seed", System.nanoTime());
    System.out.println("sluice.seed=" + seed);
    NvidiaGpu gpu = NvidiaRig.open();
    try {
      Optional<HopperKernel> compiled = Cubin.compile("mix.cu");
      Assumptions.assumeTrue(compiled.isPresent(), "nvcc is not on the PATH");
      HopperKernel cubin = compiled.orElseThrow();
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

  private static void run(NvidiaRig.Guest guest, HopperKernel cubin, Random random, int factor) {
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
    HopperLaunch.store(
        cubin,
        CODE,
        at,
        QMD,
        CODE + QMD,
        GRID,
        BLOCK,
        (int) DATA,
        (int) (DATA >>> 32),
        (int) (DATA + OUT),
        (int) (DATA + OUT >>> 32),
        COUNT,
        factor);
    HopperCommands launch = HopperLaunch.of(HopperLaunch.setUp(new HopperCommands()), CODE + QMD);
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

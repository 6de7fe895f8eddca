package io.sluice.testbed.conformance.rig;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.channel.nvidia.submit.HopperKernel;
import io.sluice.channel.nvidia.submit.HopperLaunch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** Kernels in a guest's memory, launched through its ring, one after the other. */
public final class Program {
  private static final long BASE = 0x2_4000_0000L;
  private static final long BYTES = 4L << 20;
  private static final long CODE = 2L << 20;
  private static final int SLOT_BYTES = 4096;

  private final NvidiaRig.Guest guest;
  private final Map<String, Loaded> kernels = new HashMap<>();
  private final MemorySegment memory;
  private final HopperCommands commands = new HopperCommands();
  private int launches;

  private record Loaded(HopperKernel cubin, long address) {}

  /** Compiles a source and loads what is in it; skips the test where nvcc is not. */
  public Program(NvidiaRig.Guest guest, String source) throws Exception {
    this.guest = guest;
    Optional<Map<String, HopperKernel>> compiled = Cubin.compileAll(source);
    Assumptions.assumeTrue(compiled.isPresent(), "nvcc is not on the PATH");
    GpuMemory buffer = guest.allocate(true, BYTES);
    guest.mapAt(buffer, BASE);
    memory = guest.cpu(buffer);
    long at = CODE;
    for (Map.Entry<String, HopperKernel> kernel : compiled.orElseThrow().entrySet()) {
      byte[] code = kernel.getValue().code();
      MemorySegment.copy(code, 0, memory, ValueLayout.JAVA_BYTE, at, code.length);
      kernels.put(kernel.getKey(), new Loaded(kernel.getValue(), BASE + at));
      at += (code.length + 1023) & -256; // the processor fetches beyond the end
    }
  }

  /** Launches, and waits for nothing. */
  public long start(String name, int grid, int block, int... parameters) {
    int slots = (int) (CODE / SLOT_BYTES);
    long slot = (long) (launches % slots) * SLOT_BYTES;
    commands.clear();
    if (launches == 0) {
      HopperLaunch.setUp(commands);
    }
    launches++;
    Loaded kernel = kernels.get(name);
    if (kernel == null) {
      throw new IllegalArgumentException("no such kernel, name=" + name);
    }
    HopperLaunch.store(
        kernel.cubin(), kernel.address(), memory, slot, BASE + slot, grid, block, parameters);
    return guest.queue.ring().submitWithRelease(HopperLaunch.of(commands, BASE + slot));
  }

  public void await(long launch) {
    boolean done = guest.queue.ring().await(launch, System::nanoTime, 5 * NvidiaRig.TIMEOUT_NS);
    assertThat(done).as("kernel finishes, %s", guest.queue.channel().status()).isTrue();
  }

  public void run(String name, int grid, int block, int... parameters) {
    await(start(name, grid, block, parameters));
  }

  /** A pointer as parameters. */
  public static int low(long address) {
    return (int) address;
  }

  public static int high(long address) {
    return (int) (address >>> 32);
  }
}

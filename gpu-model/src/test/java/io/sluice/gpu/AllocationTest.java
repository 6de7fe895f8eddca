package io.sluice.gpu;

import static io.sluice.gpu.Words.join;
import static io.sluice.gpu.Words.one;
import static io.sluice.gpu.Words.semaphore;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.pscnv.PscnvGem;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Test;

/** The data path makes no objects: what a submission costs does not depend on the collector. */
class AllocationTest {
  private static final int WARM_UP = 30_000;
  private static final int MEASURED = 10_000;

  /** Code is still being compiled at first; the least of the rounds counts. */
  private static final int ROUNDS = 10;

  @Test
  void submission_copyFenceAndInterrupt_allocatesNothing() throws ReflectiveOperationException {
    try (Rig rig = new Rig()) {
      Client client = rig.open();
      GuestChannel channel = client.channel(client.vspaceNew());
      Client.Memory memory = client.memory(channel.vid, PscnvGem.VRAM_SMALL, 1 << 20);
      channel.submit(one(2, 0, 0x9039));
      rig.run();
      int[] words =
          join(
              new int[] {
                0x2002408e,
                0,
                (int) memory.va(),
                0x200640c3,
                0,
                (int) memory.va() + 0x8000,
                4096,
                4096,
                4096,
                4,
                0x200140c0,
                0x110
              },
              one(0, 0x20, 0),
              semaphore(memory.va() + 0x20000, 1, 2));
      long va = channel.write(words);
      for (int i = 0; i < 512; i++) {
        channel.entry(va, words.length);
      }
      assertThat(channel.put).isEqualTo(1);
      submitAndRun(rig, channel, WARM_UP);
      long least = Long.MAX_VALUE;
      for (int i = 0; i < ROUNDS; i++) {
        long before = allocatedBytes();
        submitAndRun(rig, channel, MEASURED);
        least = Math.min(least, allocatedBytes() - before);
      }
      assertThat(channel.reason()).isZero();
      // Less than one object in a hundred submissions: what is left is the measurement's own.
      assertThat(least).isLessThan(MEASURED / 100 * 16);
    }
  }

  private static void submitAndRun(Rig rig, GuestChannel channel, int submissions) {
    for (int i = 0; i < submissions; i++) {
      int put = channel.put;
      channel.put = put + 1 & 511;
      channel.userd.set(ValueLayout.JAVA_INT, 0x8c, channel.put);
      rig.nowNs += 1000;
      while (rig.gpu.engine().doWork(rig.nowNs) > 0) {}
    }
  }

  /** Bytes this thread has allocated. By reflection: the module does not read jdk.management. */
  private static long allocatedBytes() throws ReflectiveOperationException {
    Object threads =
        Class.forName("java.lang.management.ManagementFactory")
            .getMethod("getThreadMXBean")
            .invoke(null);
    Method allocated =
        Class.forName("com.sun.management.ThreadMXBean")
            .getMethod("getCurrentThreadAllocatedBytes");
    return (long) allocated.invoke(threads);
  }
}

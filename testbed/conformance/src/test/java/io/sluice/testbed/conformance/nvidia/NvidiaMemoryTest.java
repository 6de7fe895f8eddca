package io.sluice.testbed.conformance.nvidia;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.abi.GpuVa;
import io.sluice.abi.Layouts;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.nvidia.NvidiaGpu;
import io.sluice.channel.nvidia.submit.HopperCommands;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Buffers of video memory that move, and whose addresses stay. */
final class NvidiaMemoryTest {
  private static final long SYSTEM = 0x2_4000_0000L;
  private static final long VIDEO = 0x20_0000_0000L;
  private static final long BYTES = 64L << 20;

  @Test
  void setPool_toSystemMemoryAndBack_keepsAddressesAndBytes() throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open();
        var guest = new NvidiaRig.Guest(gpu, "a", NvidiaRig.COPY_CLASS);
        var other = new NvidiaRig.Guest(gpu, "b", NvidiaRig.COPY_CLASS)) {
      GpuMemory host = guest.allocate(true, BYTES);
      GpuMemory video = guest.allocate(false, BYTES);
      guest.mapAt(host, SYSTEM);
      guest.mapAt(video, VIDEO);
      MemorySegment seen = guest.cpu(host);
      fill(seen, 1);
      guest.gpu.copy(host, 0, video, 0, BYTES); // RM has what it needs for copies from now on
      guest.copy(SYSTEM, VIDEO, BYTES);
      for (boolean system : new boolean[] {true, false}) {
        long free = guest.gpu.usage().vramFreeBytes();
        guest.queue.channel().suspend();
        long queued =
            guest
                .queue
                .ring()
                .submitWithRelease(
                    new HopperCommands()
                        .bindCopy()
                        .copy(new GpuVa(VIDEO), new GpuVa(SYSTEM), BYTES));
        seen.fill((byte) 0);
        long start = System.nanoTime();
        video.setPool(system);
        System.out.printf("move of 64 MiB: %d us%n", (System.nanoTime() - start) / 1000);
        assertThat(guest.queue.ring().hasReleased(queued)).isFalse();
        assertThat(guest.gpu.usage().vramFreeBytes() - free)
            .as("but for page tables")
            .isCloseTo(system ? BYTES : -BYTES, within(2L << 20));
        assertThat(guest.gpu.usage().vramBytes()).isEqualTo(system ? 0 : BYTES);
        guest.queue.channel().resume();
        assertThat(guest.queue.ring().await(queued, System::nanoTime, NvidiaRig.TIMEOUT_NS))
            .isTrue();
        assertFilled(seen, 1);
        assertThat(other.run(new HopperCommands())).isTrue();
      }
    }
  }

  /** Of memory that a guest's copies have just written, by its processor's arithmetic. */
  @Test
  void fingerprint_ofPagesInVideoMemory_isTheSumThatTheKeySays() throws Exception {
    try (NvidiaGpu gpu = NvidiaRig.open();
        var guest = new NvidiaRig.Guest(gpu, "a", NvidiaRig.COPY_CLASS)) {
      GpuMemory host = guest.allocate(true, BYTES);
      GpuMemory video = guest.allocate(false, BYTES);
      GpuMemory sums = guest.allocate(true, BYTES / 256);
      guest.mapAt(host, SYSTEM);
      guest.mapAt(video, VIDEO);
      MemorySegment seen = guest.cpu(host);
      MemorySegment found = guest.cpu(sums);
      long[] key = new SplittableRandom(3).longs(GuestGpu.KEY_WORDS).toArray();
      int pages = (int) (BYTES / 4096);
      for (int round = 0; round < 3; round++) {
        fill(seen, round);
        guest.copy(SYSTEM, VIDEO, BYTES);
        found.fill((byte) 0);
        long start = System.nanoTime();
        guest.gpu.fingerprint(video, 1, pages - 1, key, sums, 16);
        System.out.printf("fingerprints of 64 MiB: %d us%n", (System.nanoTime() - start) / 1000);
        long wrong = 0;
        for (int page = 1; page < pages; page++) {
          long low = 0;
          long high = 0;
          for (int i = 0; i < GuestGpu.KEY_WORDS; i += 2) {
            long a = seen.get(Layouts.U64, page * 4096L + i * 8L) + key[i];
            long b = seen.get(Layouts.U64, page * 4096L + i * 8L + 8) + key[i + 1];
            low += a * b;
            high += Math.unsignedMultiplyHigh(a, b);
          }
          wrong += found.get(Layouts.U64, page * 16L) == low ? 0 : 1;
          wrong += found.get(Layouts.U64, page * 16L + 8) == high ? 0 : 1;
        }
        assertThat(wrong).as("of %d pages", pages).isZero();
      }
    }
  }

  private static void fill(MemorySegment memory, long seed) {
    for (long at = 0; at < memory.byteSize(); at += 8) {
      memory.set(Layouts.U64, at, (at + seed) * 0x9e37_79b9_7f4a_7c15L);
    }
  }

  private static void assertFilled(MemorySegment memory, long seed) {
    long wrong = 0;
    for (long at = 0; at < memory.byteSize(); at += 8) {
      wrong += memory.get(Layouts.U64, at) == (at + seed) * 0x9e37_79b9_7f4a_7c15L ? 0 : 1;
    }
    assertThat(wrong).isZero();
  }
}

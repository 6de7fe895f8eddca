package io.sluice.channel.nvidia;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.Layouts;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestGpu.MemoryRequest;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The memory of a guest: fingerprints, copies, and what leaves video memory and comes back. */
final class GuestMemoryTest extends CountingGuestRig {
  @Test
  void fingerprint_ofPages_isTheSumThatTheKeySays() {
    Random random = new Random(11);
    long[] key = random.longs(GuestGpu.KEY_WORDS).toArray();
    int pages = 5;
    for (long at = 4096; at < 4096L * (pages + 1); at += 8) {
      memory.set(Layouts.U64, at, random.nextLong());
    }
    GpuMemory sums = side.open.allocate(request(PscnvGem.SYSRAM_SNOOP, 4096));
    for (int round = 0; round < 2; round++) {
      side.open.fingerprint(side.own, 1, pages, key, sums, 32);
      GuestGpu.SharedArea area = sums.share();
      try (Fd fd = area.fd();
          Mapping seen = real.mmap(fd, 0, 4096, Kernel.PROT_READ)) {
        for (int page = 0; page < pages; page++) {
          long low = 0;
          long high = 0;
          for (int i = 0; i < GuestGpu.KEY_WORDS; i += 2) {
            long a = memory.get(Layouts.U64, (page + 1) * 4096L + i * 8L) + key[i];
            long b = memory.get(Layouts.U64, (page + 1) * 4096L + i * 8L + 8) + key[i + 1];
            low += a * b;
            high += Math.unsignedMultiplyHigh(a, b);
          }
          assertThat(seen.segment().get(Layouts.U64, 32 + page * 16L)).isEqualTo(low);
          assertThat(seen.segment().get(Layouts.U64, 40 + page * 16L)).isEqualTo(high);
        }
      }
      memory.set(Layouts.U64, 4096L * 3, random.nextLong());
    }
    assertErrno(() -> side.open.fingerprint(side.video, 0, 2, key, sums, 0), Errno.EINVAL);
    assertErrno(() -> side.open.fingerprint(side.video, -1, 1, key, sums, 0), Errno.EINVAL);
    assertErrno(() -> side.open.fingerprint(side.video, 0, 1, key, sums, 4090), Errno.EINVAL);
    sums.close();
  }

  @Test
  void setPool_keepsBytesAndAddress() {
    submit(10);
    await(() -> ring.hasReleased(submitted));
    for (boolean system : new boolean[] {true, false, true}) {
      side.channel.suspend();
      side.video.setPool(system);
      assertThat(side.open.usage().vramBytes()).isEqualTo(system ? 0 : 4096);
      submit(5);
      side.channel.resume();
      assertAllRanOnce();
    }
  }

  @Test
  void allocateEvicted_isVideoMemoryThatIsAwayFromTheBeginning() {
    submit(10);
    await(() -> ring.hasReleased(submitted));
    GuestGpu.MemoryUsage before = side.open.usage();
    try (GpuMemory evicted = side.open.allocateEvicted(request(PscnvGem.VRAM_SMALL, 4096))) {
      assertThat(side.open.usage().vramBytes()).isEqualTo(before.vramBytes());
      assertThat(side.open.usage().systemBytes()).isEqualTo(before.systemBytes() + 4096);
      int counted = side.counted();
      side.open.copy(side.video, 0, evicted, 0, 4096);
      side.channel.suspend();
      evicted.setPool(false);
      side.channel.resume();
      assertThat(side.open.usage().vramBytes()).isEqualTo(before.vramBytes() + 4096);
      assertThat(side.open.usage().systemBytes()).isEqualTo(before.systemBytes());
      side.open.copy(evicted, 0, side.video, 0, 4096);
      assertThat(side.counted()).isEqualTo(counted).isPositive();
    }
    assertThat(side.open.usage().vramBytes()).isEqualTo(before.vramBytes());
    assertErrno(
        () ->
            side.open.allocateEvicted(
                new MemoryRequest(PscnvGem.VRAM_SMALL, 0, 0, 4096, OptionalLong.of(0))),
        Errno.EOPNOTSUPP);
  }

  @Test
  void copy_outsideOfABuffer_isInvalid() {
    assertErrno(() -> side.open.copy(side.video, 1, side.own, 0, 4096), Errno.EINVAL);
    assertErrno(() -> side.open.copy(side.own, 0, side.video, -1, 8), Errno.EINVAL);
    assertErrno(() -> side.video.share(), Errno.EOPNOTSUPP);
  }
}

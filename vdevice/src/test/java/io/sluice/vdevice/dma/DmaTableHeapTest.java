package io.sluice.vdevice.dma;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Iova;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.vdevice.protocol.Request;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** The heap that a map takes, measured with all that stands behind it. */
final class DmaTableHeapTest {
  private static final long PAGE = 4096;
  private static final int MAPS = 1000;

  private final Kernel kernel = RealKernel.create();
  private final MemoryBudget heap = MemoryBudget.upTo(() -> Long.MAX_VALUE);

  private static long heapBytes() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  @Test
  void maps_thatTheGpuAndTheServerReach_takeNoMoreThanTheyCount() {
    GpuConfig config = new GpuConfig(32L << 20, 0, 100_000);
    try (SoftwareGpu model = new SoftwareGpu(kernel, config, () -> 1, IdleStrategy.none());
        PscnvGpu gpu = new PscnvGpu("test", kernel, model::open);
        Guest guest = new Guest("measured", gpu, kernel, GuestListener.none());
        Fd memory = kernel.memfdCreate("ram", MAPS * PAGE);
        DmaTable dma = table(guest)) {
      map(dma, 0, kernel.dup(memory));
      long before = heapBytes();
      long counted = heap.bytes();
      for (long i = 1; i <= MAPS; i++) {
        map(dma, 2 * i * PAGE, kernel.dup(memory));
        dma.read(new Iova(2 * i * PAGE), MemorySegment.ofArray(new byte[1]));
      }
      assertThat(heap.bytes() - counted).isEqualTo(MAPS * DmaTable.MAP_BYTES);
      long took = heapBytes() - before;
      assertThat(took).isBetween(MAPS * DmaTable.MAP_BYTES / 4, MAPS * DmaTable.MAP_BYTES);
    }
    assertThat(heap.bytes()).isZero();
  }

  private DmaTable table(Guest guest) {
    MapBudget.GuestShare share =
        new MapBudget(kernel.hostLimits(), 1L << 40).share("g", new MapLimits(1L << 40, MAPS + 1));
    return new DmaTable(kernel, share, heap, new MapPace(() -> 1), guest.buffers()::addRegion);
  }

  private static void map(DmaTable dma, long iova, Fd fd) {
    dma.map(new Request.DmaMap(new Iova(iova), PAGE, 0, true, true), fd);
  }
}

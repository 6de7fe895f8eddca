package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Iova;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.GuestGpu.RegisteredMemory;
import io.sluice.channel.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The heap that entries of a guest's tables take, measured with all that stands behind them: no
 * more than they count.
 */
final class TableBytesTest {
  private static final int VRAM = 0;
  private static final int SYSTEM = 4;
  private static final long PAGE = 4096;

  private final GpuRig rig = new GpuRig();
  private final MemoryBudget budget = MemoryBudget.upTo(() -> Long.MAX_VALUE);
  private final Guest guest = rig.attach("measured", budget);

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  private static long heapBytes() {
    Runtime runtime = Runtime.getRuntime();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  private void measure(String what, int entries, Runnable making) {
    long heap = heapBytes();
    long counted = budget.bytes();
    making.run();
    long took = heapBytes() - heap;
    long counts = budget.bytes() - counted;
    assertThat(took)
        .as(what + ", each=" + took / entries + " counted=" + counts / entries)
        .isBetween(counts / 4, counts);
  }

  @Test
  void buffersOfVideoMemory_takeNoMoreThanTheyCount() {
    int vid = guest.spaces().create();
    measure(
        "buffers",
        8000,
        () -> {
          for (int i = 0; i < 8000; i++) {
            int handle = guest.buffers().allocate(VRAM, 0, 0, PAGE).handle();
            guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false);
          }
        });
  }

  @Test
  void registeredBuffers_takeNoMoreThanTheyCount() {
    measure(
        "registered buffers",
        60_000,
        () -> {
          for (int i = 0; i < 60_000; i++) {
            guest.buffers().register(SYSTEM, 0, PAGE);
          }
        });
  }

  @Test
  void buffersWithFreeRangesBetween_takeNoMoreThanTheyCount() {
    measure(
        "every other buffer",
        4000,
        () -> {
          List<Integer> handles = new ArrayList<>();
          for (int i = 0; i < 8000; i++) {
            handles.add(guest.buffers().allocate(VRAM, 0, 0, PAGE).handle());
          }
          for (int i = 0; i < 8000; i += 2) {
            guest.buffers().free(handles.get(i));
          }
        });
  }

  @Test
  void mappings_takeNoMoreThanTheyCount() {
    int handle = guest.buffers().allocate(VRAM, 0, 0, PAGE).handle();
    int vid = guest.spaces().create();
    measure(
        "mappings",
        60_000,
        () -> {
          for (int i = 0; i < 60_000; i++) {
            guest.spaces().map(vid, handle, Worker.LOW, Worker.HIGH, false);
          }
        });
  }

  /** Each in a region of which its buffer has no other. */
  @Test
  void extents_takeNoMoreThanTheyCount() {
    List<RegionExtent> extents = new ArrayList<>();
    try (Fd file = rig.kernel.memfdCreate("ram", 256 * PAGE)) {
      for (int i = 0; i < 256; i++) {
        RegisteredMemory region =
            guest.buffers().addRegion(new Iova(i * PAGE), file, i * PAGE, PAGE, true);
        extents.add(new RegionExtent(region, 0, PAGE));
      }
    }
    List<Integer> handles = new ArrayList<>();
    for (int i = 0; i < 256; i++) {
      handles.add(guest.buffers().register(SYSTEM, 0, 256 * PAGE));
    }
    measure(
        "extents",
        256 * 256,
        () -> handles.forEach(handle -> guest.buffers().setPages(handle, 0, extents)));
  }

  /** One buffer stays of each, and with it whatever its region still knows of the others. */
  @Test
  void regionsWhoseBuffersHaveGone_takeNoHeapForThem() {
    int buffers = 16_384;
    try (Fd file = rig.kernel.memfdCreate("ram", PAGE)) {
      long heap = heapBytes();
      for (int region = 0; region < 8; region++) {
        RegisteredMemory memory =
            guest.buffers().addRegion(new Iova(region * PAGE), file, 0, PAGE, true);
        List<Integer> handles = new ArrayList<>();
        for (int i = 0; i < buffers; i++) {
          int handle = guest.buffers().register(SYSTEM, 0, PAGE);
          guest.buffers().setPages(handle, 0, List.of(new RegionExtent(memory, 0, PAGE)));
          handles.add(handle);
        }
        handles.subList(1, buffers).forEach(guest.buffers()::free);
      }
      long places = buffers * TableBytes.SLOT;
      assertThat(heapBytes() - heap).isLessThan(places + (512 << 10));
    }
  }
}

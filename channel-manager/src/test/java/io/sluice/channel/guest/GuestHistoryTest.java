package io.sluice.channel.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.GpuVa;
import io.sluice.abi.RefusedException;
import io.sluice.channel.AssuredBudget;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.GuestGpu.RegionExtent;
import io.sluice.channel.MemoryBudget;
import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Random histories of calls of two guests. After each step what a guest's tables account must be
 * what the GPU accounts to its open, the heap of both is within their budget and no less than what
 * they have, and at the end the card and the budget have everything back.
 */
@ExtendWith(Seeds.class)
final class GuestHistoryTest {
  private static final int STEPS = 4000;
  private static final long HEAP_BYTES = 256 << 10;

  @Test
  void randomCalls_ofTwoGuests_accountAsTheGpuDoes(RandomGenerator random) throws Exception {
    try (GpuRig rig = new GpuRig()) {
      AssuredBudget heap = new AssuredBudget(HEAP_BYTES, 2);
      List<History> histories =
          List.of(new History(rig, "a", heap.part()), new History(rig, "b", heap.part()));
      long free = histories.getFirst().guest.buffers().usage().vramFreeBytes();
      int refused = 0;
      for (int i = 0; i < STEPS; i++) {
        History history = histories.get(random.nextInt(2));
        try {
          history.step(random);
        } catch (RefusedException expected) {
          refused++;
        }
        for (History each : histories) {
          each.check("step=" + i);
        }
        assertThat(histories.stream().mapToLong(each -> each.heap.bytes()).sum())
            .isLessThanOrEqualTo(HEAP_BYTES);
      }
      assertThat(refused).isBetween(1, STEPS - 1);
      histories.getFirst().guest.close();
      histories.getLast().guest.reset();
      assertThat(histories.getFirst().heap.bytes()).isZero();
      assertThat(histories.getLast().guest.buffers().usage().vramFreeBytes()).isEqualTo(free);
      histories.getLast().guest.close();
      assertThat(histories.getLast().heap.bytes()).isZero();
    }
  }

  /** One guest and what it believes it has, freed things included. */
  private static final class History {
    final GpuRig rig;
    final Guest guest;
    final MemoryBudget heap;
    final List<Integer> handles = new ArrayList<>(List.of(0));
    final List<Integer> vids = new ArrayList<>(List.of(0));
    final List<Integer> cids = new ArrayList<>(List.of(0));
    final List<GpuVa> addresses = new ArrayList<>(List.of(new GpuVa(0)));
    final List<GpuRig.Ram> rams = new ArrayList<>();

    History(GpuRig rig, String name, MemoryBudget heap) {
      this.rig = rig;
      this.heap = heap;
      guest = rig.attach(name, heap);
      for (int i = 0; i < 4; i++) {
        rams.add(rig.ram(guest, i * (1L << 20), 1 << 18));
      }
    }

    void step(RandomGenerator random) {
      int handle = pick(handles, random);
      int vid = pick(vids, random);
      int cid = pick(cids, random);
      switch (random.nextInt(20)) {
        case 0, 1 ->
            handles.add(
                guest.buffers().allocate(random.nextInt(4) << 3 & 8, 0, 0, size(random)).handle());
        case 2, 3 -> handles.add(guest.buffers().register(4, 0, random.nextInt(1, 9) * 4096L));
        case 4, 5 -> fill(handle, random);
        case 6, 7 -> guest.buffers().free(handle);
        case 8 -> vids.add(guest.spaces().create());
        case 9 -> guest.spaces().free(vid);
        case 10, 11, 12 ->
            addresses.add(
                guest
                    .spaces()
                    .map(
                        vid,
                        handle,
                        Worker.LOW,
                        new GpuVa(Worker.LOW.value() + (1L << random.nextInt(14, 24))),
                        random.nextBoolean()));
        case 13, 14 -> guest.spaces().unmap(vid, pick(addresses, random));
        case 15 -> cids.add(guest.channels().create(vid));
        case 16 -> guest.channels().free(cid);
        case 17 -> live(cid, random);
        case 18 -> {
          guest.channels().start(cid, pick(addresses, random), 4, 1);
          rig.run();
          guest.dispatchEvents();
        }
        default -> rare(random);
      }
    }

    private static long size(RandomGenerator random) {
      return random.nextLong(1, 1L << random.nextInt(1, 24));
    }

    private void fill(int handle, RandomGenerator random) {
      MemoryInfo info = guest.buffers().info(handle);
      GpuRig.Ram ram = pick(rams, random);
      if (random.nextBoolean()) {
        guest
            .buffers()
            .setPages(handle, 0, List.of(new RegionExtent(ram.region(), 0, info.sizeBytes())));
      } else {
        long offset = random.nextInt(8) * 4096L;
        guest
            .buffers()
            .setPages(handle, offset, List.of(new RegionExtent(ram.region(), offset, 4096)));
      }
    }

    private void live(int cid, RandomGenerator random) {
      switch (random.nextInt(6)) {
        case 0 -> guest.channels().suspend(cid, "test");
        case 1 -> guest.channels().resume(cid, "test");
        case 2 -> guest.channels().detach(cid, "test");
        case 3 -> guest.channels().attach(cid, "test");
        case 4 -> guest.channels().drain(cid);
        default -> guest.channels().kill(cid, 14, 0);
      }
    }

    private void rare(RandomGenerator random) {
      if (random.nextInt(50) == 0) {
        guest.reset();
      } else if (random.nextInt(20) == 0) {
        int index = random.nextInt(rams.size());
        rams.get(index).region().close();
        rams.set(index, rig.ram(guest, index * (1L << 20), 1 << 18));
      }
    }

    void check(String when) {
      GuestGpu.MemoryUsage usage = guest.buffers().usage();
      MemoryUse use = guest.buffers().use();
      assertThat(use.videoBytes()).as(when).isEqualTo(usage.vramBytes());
      assertThat(use.systemBytes()).as(when).isEqualTo(usage.systemBytes());
      TableUse tables = guest.tables();
      assertThat(heap.bytes())
          .as(when)
          .isGreaterThanOrEqualTo(
              tables.buffers() * TableBytes.BUFFER
                  + tables.mappings() * TableBytes.MAPPING
                  + tables.extents() * TableBytes.EXTENT);
    }

    private static <T> T pick(List<T> from, RandomGenerator random) {
      // Mostly what is recent, sometimes what is long gone.
      int size = from.size();
      int back = random.nextInt(4) == 0 ? size : Math.min(size, 6);
      return from.get(size - 1 - random.nextInt(back));
    }
  }
}

package io.sluice.gpu.mmu;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RegionShareTest {
  private static final long PAGE = GpuAddressSpace.PAGE_BYTES;
  private static final int ID = 3;

  private final MemorySegment memory = Arena.ofAuto().allocate(4 * PAGE, PAGE);
  private final RegionShare share = new RegionShare();

  private MemoryRegion region(int id) {
    return new MemoryRegion(id, memory, true);
  }

  private void add(MemoryRegion region, long offset) {
    share.addAll(List.of(new RegionRange(region, offset, PAGE)));
  }

  /** In batches of any order, some known and some not, as one by one in order. */
  @Test
  void addAll_anyBatches_keepsTheLowestOfEachSorted() {
    long seed = 20261130;
    Random random = new Random(seed);
    MemoryRegion[] byId = new MemoryRegion[40];
    TreeMap<Integer, Long> expected = new TreeMap<>();
    for (int batch = 0; batch < 2000; batch++) {
      if (random.nextInt(10) == 0) {
        byId[random.nextInt(byId.length)] = null; // its number goes to another
      }
      List<RegionRange> ranges = new ArrayList<>();
      for (int n = random.nextInt(9); n >= 0; n--) {
        int id = random.nextInt(byId.length);
        MemoryRegion region = byId[id];
        if (region == null) {
          region = region(id);
          byId[id] = region;
          expected.remove(id);
        }
        long offset = random.nextInt(1000) * PAGE;
        ranges.add(new RegionRange(region, offset, PAGE));
        expected.merge(id, offset, Math::min);
      }
      share.addAll(ranges);
      for (int i = 0; i < share.count(); i++) {
        int id = share.region(i).id();
        if (byId[id] == share.region(i)) {
          assertThat(share.lowest(i))
              .as("seed=%d batch=%d", seed, batch)
              .isEqualTo(expected.get(id));
        }
        assertThat(i == 0 || share.region(i - 1).id() < id).as("sorted").isTrue();
      }
      assertThat(share.count()).isGreaterThanOrEqualTo(expected.size());
    }
  }

  /** A guest registers memory, imports a page of it, takes it away, again and again. */
  @Test
  void add_regionsThatHadTheSameNumber_keepsOneOfThem() {
    MemoryRegion other = region(ID + 1);
    add(other, 0);
    MemoryRegion last = region(ID);
    for (int n = 0; n < 100; n++) {
      last.revoke();
      last = region(ID);
      add(last, 2 * PAGE);
    }

    assertThat(share.count()).isEqualTo(2);
    assertThat(share.region(0)).isSameAs(last);
    assertThat(share.lowest(0)).isEqualTo(2 * PAGE);
    assertThat(share.region(1)).isSameAs(other);
  }

  /** The lowest page is that of the region, not of one that had its number. */
  @Test
  void add_afterARevokedRegion_countsMappingsOfTheNewOne() {
    MemoryRegion revoked = region(ID);
    add(revoked, 0);
    RegionUse use = new RegionUse();
    use.add(share);
    revoked.revoke();
    use.forget(ID);
    use.remove(share);
    MemoryRegion fresh = region(ID);
    add(fresh, 3 * PAGE);
    use.add(share);

    assertThat(use.lowestOffset(fresh)).isEqualTo(3 * PAGE);
    use.remove(share);
    assertThat(use.lowestOffset(fresh)).isEqualTo(-1);
  }
}

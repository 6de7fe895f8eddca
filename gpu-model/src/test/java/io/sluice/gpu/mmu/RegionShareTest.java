package io.sluice.gpu.mmu;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class RegionShareTest {
  private static final long PAGE = GpuAddressSpace.PAGE_BYTES;
  private static final int ID = 3;

  private final MemorySegment memory = Arena.ofAuto().allocate(4 * PAGE, PAGE);
  private final RegionShare share = new RegionShare();

  private MemoryRegion region(int id) {
    return new MemoryRegion(id, memory, true);
  }

  /** A guest registers memory, imports a page of it, takes it away, again and again. */
  @Test
  void add_regionsThatHadTheSameNumber_keepsOneOfThem() {
    MemoryRegion other = region(ID + 1);
    share.add(other, 0);
    MemoryRegion last = region(ID);
    for (int n = 0; n < 100; n++) {
      last.revoke();
      last = region(ID);
      share.add(last, 2 * PAGE);
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
    share.add(revoked, 0);
    RegionUse use = new RegionUse();
    use.add(share);
    revoked.revoke();
    use.forget(ID);
    use.remove(share);
    MemoryRegion fresh = region(ID);
    share.add(fresh, 3 * PAGE);
    use.add(share);

    assertThat(use.lowestOffset(fresh)).isEqualTo(3 * PAGE);
    use.remove(share);
    assertThat(use.lowestOffset(fresh)).isEqualTo(-1);
  }
}

package io.sluice.gpu.mmu;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GpuAddressSpaceTest {
  private static final long PAGE = GpuAddressSpace.PAGE_BYTES;
  private static final long LARGE = 128 << 10;
  private static final long START = 0x2000_0000L;

  private final MemorySegment memory = Arena.ofAuto().allocate(1 << 20, 4096);
  private final GpuAddressSpace space = new GpuAddressSpace();
  private final Run run = new Run();

  private GpuBuffer buffer(long pages) {
    return new GpuBuffer(pages * PAGE, PAGE, new FileBacking(memory, 0, pages * PAGE));
  }

  @Test
  void map_lowest_takesTheFirstGap() {
    long a = space.map(buffer(2), START, GpuAddressSpace.LIMIT, false);
    long b = space.map(buffer(1), START, GpuAddressSpace.LIMIT, false);
    long c = space.map(buffer(1), START, GpuAddressSpace.LIMIT, false);
    assertThat(List.of(a, b, c)).containsExactly(START, START + 2 * PAGE, START + 3 * PAGE);
    space.unmap(b);
    assertThat(space.map(buffer(2), START, GpuAddressSpace.LIMIT, false))
        .isEqualTo(START + 4 * PAGE);
    assertThat(space.map(buffer(1), START, GpuAddressSpace.LIMIT, false)).isEqualTo(b);
  }

  @Test
  void map_highest_takesTheLastGap() {
    long top = GpuAddressSpace.LIMIT;
    assertThat(space.map(buffer(2), START, top, true)).isEqualTo(top - 2 * PAGE);
    assertThat(space.map(buffer(1), START, top, true)).isEqualTo(top - 3 * PAGE);
  }

  @Test
  void map_largePages_areAligned() {
    space.map(buffer(1), START, GpuAddressSpace.LIMIT, false);
    GpuBuffer large = new GpuBuffer(LARGE, LARGE, new FileBacking(memory, 0, LARGE));
    assertThat(space.map(large, START, GpuAddressSpace.LIMIT, false)).isEqualTo(START + LARGE);
    GpuBuffer other = new GpuBuffer(LARGE, LARGE, new FileBacking(memory, 0, LARGE));
    assertThat(space.map(other, START, GpuAddressSpace.LIMIT - PAGE, true))
        .isEqualTo(GpuAddressSpace.LIMIT - 2 * LARGE);
  }

  @Test
  void map_noRoomOrNoRange_isRefused() {
    assertThat(space.map(buffer(2), START, START + PAGE, false)).isEqualTo(GpuAddressSpace.NO_ROOM);
    assertThat(space.map(buffer(1), START, START, false)).isEqualTo(GpuAddressSpace.NO_ROOM);
    assertThat(space.map(buffer(1), START, 0, false)).isEqualTo(GpuAddressSpace.NO_ROOM);
    assertThat(space.map(buffer(1), -1, GpuAddressSpace.LIMIT, false))
        .isEqualTo(GpuAddressSpace.NO_ROOM);
    assertThat(space.map(buffer(1), GpuAddressSpace.LIMIT, -1, false))
        .isEqualTo(GpuAddressSpace.NO_ROOM);
    assertThat(space.map(buffer(1), START + 1, START + PAGE, false))
        .isEqualTo(GpuAddressSpace.NO_ROOM);
  }

  @Test
  void map_endBeyondTheLimit_isCut() {
    assertThat(space.map(buffer(1), START, -1, true)).isEqualTo(GpuAddressSpace.LIMIT - PAGE);
  }

  @Test
  void translate_anyByte_findsItsPlace() {
    long address = space.map(buffer(4), START, GpuAddressSpace.LIMIT, false);
    assertThat(space.translate(address + 5, 100, false, run)).isEqualTo(FaultReason.NONE);
    assertThat(run.offset()).isEqualTo(5);
    assertThat(run.length()).isEqualTo(100);
    space.translate(address + 4 * PAGE - 3, 100, false, run);
    assertThat(run.length()).isEqualTo(3);
  }

  @Test
  void translate_whereNothingIs_namesTheReason() {
    assertThat(space.translate(START, 1, false, run)).isEqualTo(FaultReason.PT_NOT_PRESENT);
    assertThat(space.translate(GpuAddressSpace.LIMIT, 1, false, run))
        .isEqualTo(FaultReason.VM_LIMIT_EXCEEDED);
    assertThat(space.translate(-1, 1, false, run)).isEqualTo(FaultReason.VM_LIMIT_EXCEEDED);
    long address = space.map(buffer(1), START, GpuAddressSpace.LIMIT, false);
    assertThat(space.translate(address + PAGE, 1, true, run))
        .isEqualTo(FaultReason.PAGE_NOT_PRESENT);
    space.unmap(address);
    assertThat(space.translate(address, 1, false, run)).isEqualTo(FaultReason.PAGE_NOT_PRESENT);
  }

  @Test
  void unmap_anyAddressInside_unmapsTheBuffer() {
    GpuBuffer buffer = buffer(3);
    long address = space.map(buffer, START, GpuAddressSpace.LIMIT, false);
    assertThat(space.unmap(address + 2 * PAGE + 17)).isSameAs(buffer);
    assertThat(buffer.isMapped()).isFalse();
    assertThat(space.unmap(address)).isNull();
  }

  @Test
  void translate_write_marksThePagesItMayTouch() {
    GpuBuffer buffer = buffer(200);
    long address = space.map(buffer, START, GpuAddressSpace.LIMIT, false);
    space.translate(address + PAGE - 1, 2, true, run);
    space.translate(address + 60 * PAGE, 70 * PAGE, true, run);
    space.translate(address + 150 * PAGE, 10, false, run);
    for (int page = 0; page < 200; page++) {
      boolean written = page < 2 || (page >= 60 && page < 130);
      assertThat(buffer.readDirty(page, 1, false)).as("page %d", page).isEqualTo(written ? 1 : 0);
    }
    assertThat(buffer.readDirty(1, 1, true)).isEqualTo(1);
    assertThat(buffer.readDirty(0, 2, false)).isEqualTo(1);
  }

  @Test
  void translate_importedPages_followTheExtents() {
    MemoryRegion region = new MemoryRegion(1, memory, false);
    ExtentBacking backing = new ExtentBacking(3 * PAGE);
    backing.set(2 * PAGE, List.of(new RegionRange(region, 7 * PAGE, PAGE)));
    backing.set(0, List.of(new RegionRange(region, 4 * PAGE, PAGE)));
    assertThat(backing.isComplete()).isFalse();
    backing.set(PAGE, List.of(new RegionRange(region, 5 * PAGE, PAGE)));
    assertThat(backing.isComplete()).isTrue();
    assertThat(backing.extents()).as("neighbours are one").isEqualTo(2);
    GpuBuffer buffer = new GpuBuffer(3 * PAGE, PAGE, backing);
    long address = space.map(buffer, START, GpuAddressSpace.LIMIT, false);

    assertThat(space.translate(address, 3 * PAGE, false, run)).isEqualTo(FaultReason.NONE);
    assertThat(run.offset()).isEqualTo(4 * PAGE);
    assertThat(run.length()).isEqualTo(2 * PAGE);
    space.translate(address + 2 * PAGE + 8, PAGE, false, run);
    assertThat(run.offset()).isEqualTo(7 * PAGE + 8);
    assertThat(space.translate(address, 1, true, run)).isEqualTo(FaultReason.READ_ONLY);
    assertThat(buffer.readDirty(0, 3, false)).isZero();
    assertThat(space.lowestOffsetIn(region)).isEqualTo(4 * PAGE);

    region.revoke();
    assertThat(space.translate(address, 1, false, run)).isEqualTo(FaultReason.PAGE_NOT_PRESENT);
  }

  @Test
  void extents_randomOrder_answerLikeAPageTable() {
    for (long seed = 1; seed <= 50; seed++) {
      Random random = new Random(seed);
      int pages = 1 + random.nextInt(64);
      ExtentBacking backing = new ExtentBacking(pages * PAGE);
      MemoryRegion region = new MemoryRegion(1, memory, true);
      long[] table = new long[pages];
      Arrays.fill(table, -1);
      for (int i = 0; i < 200; i++) {
        int first = random.nextInt(pages);
        int count = 1 + random.nextInt(Math.min(4, pages - first));
        long from = random.nextInt(200) * PAGE;
        boolean taken = false;
        for (int j = 0; j < count; j++) {
          taken |= table[first + j] >= 0;
        }
        assertThat(backing.overlaps(first * PAGE, count * PAGE))
            .as("seed %d", seed)
            .isEqualTo(taken);
        if (!taken) {
          List<RegionRange> extents = new ArrayList<>();
          for (int j = 0; j < count; j++) {
            extents.add(new RegionRange(region, from + j * PAGE, PAGE));
          }
          if (random.nextBoolean()) {
            extents = List.of(new RegionRange(region, from, count * PAGE));
          }
          backing.set(first * PAGE, extents);
          for (int j = 0; j < count; j++) {
            table[first + j] = from + j * PAGE;
          }
        }
      }
      for (int page = 0; page < pages; page++) {
        boolean found = backing.locate(page * PAGE + 9, run);
        assertThat(found).as("seed %d page %d", seed, page).isEqualTo(table[page] >= 0);
        if (found) {
          assertThat(run.offset()).isEqualTo(table[page] + 9);
        }
      }
    }
  }

  @Test
  void map_randomHistory_agreesWithASlowOracle() {
    for (long seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      GpuAddressSpace tested = new GpuAddressSpace();
      TreeMap<Long, Long> oracle = new TreeMap<>();
      List<Long> mapped = new ArrayList<>();
      long low = START;
      long high = START + 64 * PAGE;
      for (int i = 0; i < 300; i++) {
        if (mapped.isEmpty() || random.nextInt(3) > 0) {
          long pages = 1 + random.nextInt(6);
          boolean back = random.nextBoolean();
          long expected = firstFit(oracle, low, high, pages * PAGE, back);
          long got = tested.map(buffer(pages), low, high, back);
          assertThat(got).as("seed %d step %d", seed, i).isEqualTo(expected);
          if (got != GpuAddressSpace.NO_ROOM) {
            oracle.put(got, got + pages * PAGE);
            mapped.add(got);
          }
        } else {
          long address = mapped.remove(random.nextInt(mapped.size()));
          assertThat(tested.unmap(address)).isNotNull();
          oracle.remove(address);
        }
      }
    }
  }

  private static long firstFit(
      TreeMap<Long, Long> taken, long low, long high, long bytes, boolean back) {
    for (long k = 0; low + k + bytes <= high; k += PAGE) {
      long candidate = back ? high - bytes - k : low + k;
      boolean free =
          taken.entrySet().stream()
              .noneMatch(e -> e.getKey() < candidate + bytes && candidate < e.getValue());
      if (free) {
        return candidate;
      }
    }
    return GpuAddressSpace.NO_ROOM;
  }
}

package io.sluice.gpu.mmu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Free ranges among more mappings than one chunk has. */
final class MappingTableTest {
  private static final long PAGE = GpuAddressSpace.PAGE_BYTES;
  private static final long LARGE = 128 << 10;
  private static final int MAPPINGS = 2000;

  private final TreeMap<Long, Long> ends = new TreeMap<>();
  private MappingTable table = MappingTable.EMPTY;

  private void map(long start, long pages) {
    table = table.with(start, new GpuBuffer(pages * PAGE, PAGE, new ExtentBacking(pages * PAGE)));
    ends.put(start, start + pages * PAGE);
  }

  private void unmap(long start) {
    table = table.without(table.seek(start));
    ends.remove(start);
  }

  private long lowest(long from, long bytes, long alignment) {
    long candidate = (from + alignment - 1) & -alignment;
    for (Map.Entry<Long, Long> mapping : ends.entrySet()) {
      if (mapping.getValue() > candidate) {
        if (mapping.getKey() - candidate >= bytes) {
          return candidate;
        }
        candidate = (mapping.getValue() + alignment - 1) & -alignment;
      }
    }
    return candidate;
  }

  /** Below from when there is none. */
  private long highest(long from, long top, long bytes, long alignment) {
    long candidate = (top - bytes) & -alignment;
    for (Map.Entry<Long, Long> mapping : ends.descendingMap().entrySet()) {
      if (candidate < from || mapping.getValue() <= candidate) {
        return candidate;
      }
      if (mapping.getKey() < candidate + bytes) {
        candidate = (mapping.getKey() - bytes) & -alignment;
      }
    }
    return candidate;
  }

  @Test
  void free_amongManyChunks_isTheFirstAndTheLast() {
    long seed = 20261130;
    Random random = new Random(seed);
    long at = PAGE;
    for (int i = 0; i < MAPPINGS; i++) {
      // Gaps are small but for a few.
      at += PAGE * (random.nextInt(200) == 0 ? random.nextInt(100) : random.nextInt(4));
      long pages = 1 + random.nextInt(3);
      map(at, pages);
      at += pages * PAGE;
    }
    for (int step = 0; step < MAPPINGS - 1; step++) {
      long from = PAGE * random.nextInt((int) (at / PAGE));
      long top = from + PAGE * (1 + random.nextInt((int) (at / PAGE)));
      long bytes = PAGE * (1 + random.nextInt(random.nextBoolean() ? 4 : 120));
      long alignment = random.nextInt(3) == 0 ? LARGE : PAGE;
      String where = "seed=" + seed + " step=" + step;
      assertThat(table.lowestFree(from, bytes, alignment))
          .as(where)
          .isEqualTo(lowest(from, bytes, alignment));
      long expected = highest(from, top, bytes, alignment);
      long found = table.highestFree(from, top, bytes, alignment);
      if (expected >= from) {
        assertThat(found).as(where).isEqualTo(expected);
      } else {
        assertThat(found).as(where).isLessThan(from);
      }
      List<Long> starts = new ArrayList<>(ends.keySet());
      unmap(starts.get(random.nextInt(starts.size())));
    }
  }

  /** A guest fills chunks and leaves one mapping in each, again and again. */
  @Test
  void without_allButOneOfEachChunk_leavesNoMoreChunksThanTheMappingsNeed() {
    long seed = 20261130;
    Random random = new Random(seed);
    long at = PAGE;
    for (int round = 0; round < 20; round++) {
      List<Long> filled = new ArrayList<>();
      for (int i = 0; i < MAPPINGS; i++) {
        map(at, 1);
        filled.add(at);
        at += PAGE;
      }
      for (int i = 0; i < MAPPINGS; i++) {
        if (i % 100 != 0) {
          unmap(filled.get(i));
        }
      }
      unmap(new ArrayList<>(ends.keySet()).get(random.nextInt(ends.size())));
      assertThat(table.count()).isEqualTo(ends.size());
      ends.keySet().forEach(start -> assertThat(table.seek(start)).isNotNegative());
      assertThat(chunks()).as("seed=%d round=%d", seed, round).isLessThan(2 + ends.size() / 64);
    }
  }

  private int chunks() {
    int chunks = 0;
    for (MappingTable left = table; left.count() > 0; left = left.withoutLast()) {
      chunks++;
    }
    return chunks;
  }
}

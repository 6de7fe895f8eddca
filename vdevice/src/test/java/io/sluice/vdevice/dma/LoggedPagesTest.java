package io.sluice.vdevice.dma;

import static io.sluice.vdevice.dma.LoggedPages.BLOCK_BYTES;
import static io.sluice.vdevice.dma.LoggedPages.BLOCK_PAGES;
import static io.sluice.vdevice.dma.LoggedPages.MOST_BLOCKS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.channel.MemoryBudget;
import io.sluice.testbed.fakes.Seeds;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The set of written pages. */
@ExtendWith(Seeds.class)
final class LoggedPagesTest {
  private static final long LAST = (1L << 52) - 1;

  private final MemoryBudget heap = MemoryBudget.upTo(() -> 10L << 20);
  private final LoggedPages pages = new LoggedPages(heap);

  @Test
  void next_afterAnyHistory_isThatOfASet(RandomGenerator random) {
    TreeSet<Long> model = new TreeSet<>();
    for (int i = 0; i < 20_000; i++) {
      long page = random.nextLong(0, 4L * BLOCK_PAGES);
      if (random.nextInt(3) == 0) {
        pages.remove(page);
        model.remove(page);
      } else {
        pages.add(page);
        model.add(page);
      }
      long first = random.nextLong(0, 4L * BLOCK_PAGES);
      long last = first + random.nextLong(0, BLOCK_PAGES);
      Long next = model.ceiling(first);
      assertThat(pages.next(first, last)).isEqualTo(next == null || next > last ? -1 : next);
    }
  }

  /** As by a client that unmaps what the GPU has written, and maps it elsewhere. */
  @Test
  void add_toMoreBlocksThanThereMayBe_hasAll() {
    for (int block = 0; block < MOST_BLOCKS; block++) {
      pages.add((long) block * BLOCK_PAGES);
    }
    assertThat(pages.isAll()).isFalse();
    pages.add(LAST);

    assertThat(pages.isAll()).isTrue();
    assertThat(heap.bytes()).isZero();
    assertThat(pages.next(77, 80)).isEqualTo(77);
    pages.remove(77);
    assertThat(pages.next(77, 80)).isEqualTo(77);
    pages.clear();
    assertThat(pages.isAll()).isFalse();
    assertThat(pages.next(0, LAST)).isEqualTo(-1);
  }

  @Test
  void add_toMoreBlocksThanTheHeapHas_hasAllAndGivesTheHeapBack() {
    MemoryBudget little = MemoryBudget.upTo(() -> 2 * BLOCK_BYTES);
    LoggedPages few = new LoggedPages(little);
    few.add(0);
    few.add(BLOCK_PAGES);
    few.add(1);
    assertThat(few.isAll()).isFalse();
    few.add(2 * BLOCK_PAGES);

    assertThat(few.isAll()).isTrue();
    assertThat(little.bytes()).isZero();
  }

  @Test
  void remove_ofTheLastOfABlock_makesRoomForAnother() {
    for (int block = 0; block < 3 * MOST_BLOCKS; block++) {
      pages.add((long) block * BLOCK_PAGES);
      pages.remove((long) block * BLOCK_PAGES);
    }
    assertThat(pages.isAll()).isFalse();
    assertThat(heap.bytes()).isZero();
    assertThat(pages.next(0, LAST)).isEqualTo(-1);
  }
}

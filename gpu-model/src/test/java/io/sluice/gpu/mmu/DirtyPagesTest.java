package io.sluice.gpu.mmu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DirtyPagesTest {
  private static final long PAGE = 4096;
  private static final int COUNT = 70_000;
  private static final int CHUNK = 1 << 15;

  @Test
  void mark_byManyThreads_losesNone() throws Exception {
    DirtyPages pages = new DirtyPages(COUNT * PAGE);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      int lane = i;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int page = lane; page < COUNT; page += 4) {
                  pages.mark(page * PAGE, PAGE);
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (int page = 0; page < COUNT; page++) {
      assertThat(pages.read(page, 1, false)).as("page %d", page).isEqualTo(1);
    }
  }

  @Test
  void read_anyRange_isWhatWasMarked() {
    long seed = 20261130;
    Random random = new Random(seed);
    DirtyPages pages = new DirtyPages(COUNT * PAGE);
    BitSet expected = new BitSet();
    for (int step = 0; step < 20_000; step++) {
      int first = Math.min(CHUNK * random.nextInt(3) + random.nextInt(200), COUNT - 1);
      first = Math.max(0, first - 100);
      int most = COUNT - first;
      if (random.nextInt(8) == 0) {
        int marked = 1 + random.nextInt(random.nextInt(50) == 0 ? most : Math.min(most, 200));
        pages.mark(first * PAGE, marked * PAGE);
        expected.set(first, first + marked);
        continue;
      }
      int count = 1 + random.nextInt(Math.min(64, most));
      boolean clear = random.nextBoolean();
      long found = pages.read(first, count, clear);
      BitSet now = expected.get(first, first + count);
      assertThat(BitSet.valueOf(new long[] {found}))
          .as("seed=%d step=%d first=%d count=%d", seed, step, first, count)
          .isEqualTo(now);
      if (clear) {
        expected.clear(first, first + count);
      }
    }
  }
}

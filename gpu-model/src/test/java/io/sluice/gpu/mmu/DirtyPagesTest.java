package io.sluice.gpu.mmu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class DirtyPagesTest {
  private static final long PAGE = 4096;
  private static final int COUNT = 200;

  @Test
  void read_anyRange_isWhatWasMarked() {
    long seed = 20261130;
    Random random = new Random(seed);
    DirtyPages pages = new DirtyPages(COUNT * PAGE);
    BitSet expected = new BitSet();
    for (int step = 0; step < 20_000; step++) {
      int first = random.nextInt(COUNT);
      int most = COUNT - first;
      if (random.nextInt(8) == 0) {
        int marked = 1 + random.nextInt(most);
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

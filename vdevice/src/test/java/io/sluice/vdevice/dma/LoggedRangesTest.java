package io.sluice.vdevice.dma;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.fakes.Seeds;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The pages that a client wants to be logged. */
@ExtendWith(Seeds.class)
final class LoggedRangesTest {
  private static final int PAGES = 400;
  private static final long PAGE = 4096;

  /** How often pages were found, and which. */
  private static final class Found implements LoggedRanges.PageSink {
    final BitSet pages = new BitSet();
    int pieces;

    @Override
    public void pages(long first, long last) {
      pieces++;
      pages.set((int) first, (int) last + 1);
    }
  }

  @Test
  void within_anyRanges_findsThosePagesThatTheyTouch(RandomGenerator random) {
    for (int round = 0; round < 500; round++) {
      List<DmaLog.LoggedRange> wanted = new ArrayList<>();
      BitSet model = new BitSet();
      for (int i = 0; i <= random.nextInt(20); i++) {
        long first = random.nextLong(PAGES * PAGE);
        long last = Math.min(PAGES * PAGE - 1, first + random.nextLong(10 * PAGE));
        wanted.add(new DmaLog.LoggedRange(first, last));
        model.set((int) (first / PAGE), (int) (last / PAGE) + 1);
      }
      LoggedRanges ranges = new LoggedRanges(wanted);
      int from = random.nextInt(PAGES);
      int to = random.nextInt(from, PAGES);
      Found found = new Found();
      ranges.within(from, to, found);
      model.clear(0, from);
      model.clear(to + 1, PAGES);
      assertThat(found.pages).isEqualTo(model);
    }
  }

  /** As by a client that wants each look to be dear. */
  @Test
  void manyRangesOfTheSamePages_areOne() {
    LoggedRanges ranges =
        new LoggedRanges(Collections.nCopies(4000, new DmaLog.LoggedRange(0, 100 * PAGE - 1)));
    Found found = new Found();
    ranges.within(0, PAGES, found);

    assertThat(ranges.count()).isEqualTo(1);
    assertThat(found.pieces).isEqualTo(1);
    assertThat(found.pages.cardinality()).isEqualTo(100);
  }

  @Test
  void rangesThatFollowOneAnother_areOne() {
    List<DmaLog.LoggedRange> pages = new ArrayList<>();
    for (long page = 0; page < 100; page += 2) {
      pages.add(new DmaLog.LoggedRange(page * PAGE, page * PAGE + PAGE - 1));
    }
    assertThat(new LoggedRanges(pages).count()).isEqualTo(50);
    for (long page = 1; page < 100; page += 2) {
      pages.add(new DmaLog.LoggedRange(page * PAGE, page * PAGE + PAGE - 1));
    }
    assertThat(new LoggedRanges(pages).count()).isEqualTo(1);
  }

  @Test
  void ranges_atTheEndOfTheBus_areFound() {
    LoggedRanges ranges = new LoggedRanges(List.of(new DmaLog.LoggedRange(-1, -1)));
    List<Long> found = new ArrayList<>();
    ranges.within(0, -1L >>> 12, (first, last) -> found.addAll(List.of(first, last)));

    assertThat(found).containsExactly(-1L >>> 12, -1L >>> 12);
  }

  @Test
  void noRanges_areAllPages() {
    List<Long> found = new ArrayList<>();
    new LoggedRanges(List.of()).within(7, 9, (first, last) -> found.addAll(List.of(first, last)));

    assertThat(found).containsExactly(7L, 9L);
  }
}

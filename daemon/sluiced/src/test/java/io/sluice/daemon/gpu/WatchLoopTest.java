package io.sluice.daemon.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When channels are looked at. Times in milliseconds. */
final class WatchLoopTest {
  private static final long MS = 1_000_000;

  private final Work work = new Work();
  private final WatchLoop loop = new WatchLoop(work, () -> 0);

  private static final class Work implements WatchLoop.WatchDuties {
    int looks;
    int ends;
    long dueNs = Long.MAX_VALUE;
    long pollNs = Long.MAX_VALUE;

    @Override
    public void watch(long nowNs) {
      looks++;
    }

    @Override
    public long watchDueInNs() {
      return dueNs;
    }

    @Override
    public long poll() {
      return pollNs;
    }

    @Override
    public void afterwards() {
      ends++;
    }
  }

  private long at(long ms) {
    return loop.doWork(ms * MS) / MS;
  }

  @Test
  void doWork_nobodyToWatch_doesNotLook() {
    assertThat(at(0)).isEqualTo(1000);
    assertThat(at(5000)).isEqualTo(1000);
    assertThat(work.looks).isZero();
    assertThat(work.ends).isEqualTo(2);
  }

  @Test
  void doWork_watch_looksWhenDue() {
    assertThat(at(0)).isEqualTo(1000);
    work.dueNs = 100 * MS;
    assertThat(at(10)).isEqualTo(100);
    assertThat(work.looks).isEqualTo(1);
    assertThat(at(60)).isEqualTo(50);
    work.dueNs = 2 * MS; // a command is near its limit
    assertThat(at(110)).isEqualTo(2);
    assertThat(at(112)).isEqualTo(2);
    assertThat(work.looks).isEqualTo(3);
  }

  @Test
  void doWork_whatTheGpuWants_isDoneWhenItSays() {
    work.pollNs = 7 * MS;
    assertThat(at(0)).isEqualTo(7);
    work.pollNs = -1;
    assertThat(at(7)).isZero();
  }
}

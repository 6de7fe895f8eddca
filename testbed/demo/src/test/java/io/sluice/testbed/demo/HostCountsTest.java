package io.sluice.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.GuestCounters;
import io.sluice.testbed.demo.Screen.Style;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class HostCountsTest {
  private final Printed printed = new Printed();
  private long nowNs;
  private final Report report = new Report(printed.screen(Style.PIPE), () -> nowNs);
  private final HostCounts counts = new HostCounts(report);
  private long messages = 277;
  private long calls = 43;
  private long recorded = 300;
  private long reads = 2;

  /** Copies of 64 MiB, which cost something. */
  private final class Copies implements GuestWork {
    private final boolean inMachine;
    private final Runnable cost;

    Copies(boolean inMachine, Runnable cost) {
      this.inMachine = inMachine;
      this.cost = cost;
    }

    @Override
    public DemoPart part() {
      return DemoPart.COPY;
    }

    @Override
    public int machinePrograms() {
      return inMachine ? 1 : 0;
    }

    @Override
    public String done() {
      return "64 MiB were copied";
    }

    @Override
    public void setUp() {
      // Nothing to set up.
    }

    @Override
    public void submit() {
      cost.run();
    }

    @Override
    public void verify() {
      // Nothing to verify.
    }

    @Override
    public void close() {
      // Nothing to free.
    }
  }

  @AfterEach
  void close() {
    report.close();
  }

  private void count(Runnable cost) throws Exception {
    counts.count(new Copies(false, cost), this::counters, Optional.of(() -> recorded));
  }

  private void countInMachine(Runnable cost) throws Exception {
    counts.count(new Copies(true, cost), this::counters, Optional.of(() -> recorded));
  }

  private void waitAndLook(int seconds, int looks) {
    nowNs += seconds * 1_000_000_000L;
    reads += looks;
    messages += looks;
    recorded += looks;
  }

  @Test
  void count_workThatCostsNothing_isRightAndSaysSoInAHeadline() throws Exception {
    count(() -> {});
    messages += 10;
    counts.conclude(counters());
    report.conclude();
    assertThat(report.failed()).isFalse();
    assertThat(printed.text())
        .contains(
            "  ok  0 messages and 0 calls to the host while 64 MiB were copied\n",
            "(sluiced has counted 277 messages and 43 calls before, 277 messages and 43 calls after)",
            "      0 messages and 0 calls to the host while 64 MiB were copied.\n",
            "took 287 messages and 43 calls.");
  }

  @Test
  void conclude_severalWorks_countsThemTogether() throws Exception {
    count(() -> {});
    count(() -> messages++);
    count(() -> calls += 2);
    counts.conclude(counters());
    report.conclude();
    assertThat(printed.text())
        .endsWith(
            "      1 message and 2 calls to the host while 64 MiB were copied and 2 programs"
                + " computed.\ndemo: FAILED\n");
  }

  @Test
  void count_oneMessage_isWrong() throws Exception {
    count(() -> messages++);
    assertThat(report.failed()).isTrue();
    assertThat(printed.text())
        .contains(
            "WRONG 1 message and 0 calls to the host while 64 MiB were copied\n",
            "(the messages were region_write 1)\n");
  }

  @Test
  void count_machineThatWaitsForLong_mayLookWhetherTheHostIsThere() throws Exception {
    countInMachine(() -> waitAndLook(11, 2));
    assertThat(report.failed()).isFalse();
    assertThat(printed.text())
        .contains("  ok  0 messages and 0 calls", "(and 2 looks whether the host is there: ");
  }

  @Test
  void count_moreLooksThanItsWaitExplains_isWrong() throws Exception {
    countInMachine(() -> waitAndLook(11, 3));
    assertThat(report.failed()).isTrue();
    assertThat(printed.text()).contains("WRONG 1 message and 0 calls");
  }

  @Test
  void count_processThatLooks_isWrong() throws Exception {
    count(() -> waitAndLook(11, 1));
    assertThat(report.failed()).isTrue();
  }

  @Test
  void count_oneCall_isWrong() throws Exception {
    count(() -> calls++);
    assertThat(report.failed()).isTrue();
    assertThat(printed.text()).contains("WRONG 0 messages and 1 call to the host");
  }

  @Test
  void count_messageThatTheRecorderAloneHasSeen_isWrong() throws Exception {
    count(() -> recorded++);
    assertThat(report.failed()).isTrue();
    assertThat(printed.text())
        .contains(
            "  ok  0 messages",
            "WRONG the recorder on the socket has seen 300 messages before, 301");
  }

  private Map<String, Long> kinds() {
    return Map.of("dma_map", 7L, "region_read", reads, "region_write", messages - reads - 7);
  }

  private GuestCounters counters() {
    return new GuestCounters(
        1, 0, messages, 0, kinds(), calls, 0, 44, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0);
  }
}

package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.management.MigrationStatusView;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

final class ProgressLineTest {
  private static final long MIB = 1 << 20;
  private final StringWriter err = new StringWriter();

  private static MigrationStatusView view(String phase, long total, long left, long rate) {
    return new MigrationStatusView(
        "web-01",
        "5f2c",
        MigrationStatusView.MIGRATION,
        "out",
        "kvm-b:7443",
        phase,
        "",
        "",
        total,
        0,
        left,
        0,
        0,
        -1,
        0,
        rate,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        false,
        false);
  }

  @Test
  void text_preCopy_saysPercentAndTimeToGo() {
    assertThat(ProgressLine.text(view("pre-copy", 1000 * MIB, 250 * MIB, 10 * MIB)))
        .isEqualTo("pre-copy     75.0 %  250.0 MiB left  10.0 MiB/s  00:25 to go");
  }

  /** All may be copied, and written again: it is not there before it is. */
  @Test
  void text_nothingLeft_isNotAllOfIt() {
    assertThat(ProgressLine.text(view("drain", 1000 * MIB, 0, 10 * MIB)))
        .startsWith("drain        99.9 %  0 KiB left");
  }

  @Test
  void text_moreLeftThanThereIs_isNoPercentBelowZero() {
    assertThat(ProgressLine.text(view("pre-copy", MIB, 2 * MIB, 0))).contains("  0.0 %");
  }

  @Test
  void text_nothingKnown_saysThePhase() {
    assertThat(ProgressLine.text(view("prepare", 0, 0, 0))).isEqualTo("prepare      0 KiB left");
  }

  @Test
  void show_shorterLine_leavesNothingOfTheLongerOne() {
    ProgressLine line = new ProgressLine(new PrintWriter(err), true);
    line.show(view("pre-copy", 1000 * MIB, 250 * MIB, 10 * MIB));
    line.show(view("drain", 0, 0, 0));
    String[] drawn = err.toString().split("\r");
    assertThat(drawn[2]).startsWith("drain").hasSameSizeAs(drawn[1]);
    line.clear();
    assertThat(err.toString()).endsWith("\r\033[K").doesNotContain("\n");
  }

  @Test
  void show_noTerminal_isSilent() {
    ProgressLine line = new ProgressLine(new PrintWriter(err), false);
    line.show(view("pre-copy", 1000 * MIB, 250 * MIB, 10 * MIB));
    line.clear();
    assertThat(err.toString()).isEmpty();
  }
}

package io.sluice.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.demo.Screen.Style;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WaitLineTest {
  private static final long MS = 1_000_000;

  private final Printed printed = new Printed();
  private final List<WaitLine> ended = new ArrayList<>();
  private long nowNs = 77;

  private WaitLine waiting(Style style) {
    return new WaitLine(printed.screen(style), "Linux boots", () -> nowNs, ended::add);
  }

  private void tickAfter(WaitLine line, long ms) {
    nowNs += ms * MS;
    line.tick();
  }

  @Test
  void tick_terminal_drawsItOverItselfAndTakesItAway() {
    WaitLine line = waiting(Style.PLAIN);
    tickAfter(line, 2000);
    tickAfter(line, 200);
    line.close();
    assertThat(printed.text())
        .isEqualTo(
            "\r      ... Linux boots, 2.0 s"
                + "\r      ... Linux boots, 2.2 s"
                + "\r                            "
                + "\r");
    assertThat(ended).containsExactly(line);
  }

  @Test
  void tick_pipe_printsALineNowAndThenWithoutEscapeCodes() {
    WaitLine line = waiting(Style.PIPE);
    for (int i = 0; i < 130; i++) {
      tickAfter(line, 100);
    }
    line.close();
    assertThat(printed.text())
        .isEqualTo("      ... Linux boots, 2.0 s\n      ... Linux boots, 12 s\n");
  }

  @Test
  void tick_whatIsOverSoon_isNotTold() {
    WaitLine piped = waiting(Style.PIPE);
    tickAfter(piped, 1900);
    piped.close();
    WaitLine drawn = waiting(Style.COLOURED);
    tickAfter(drawn, 900);
    drawn.close();
    assertThat(printed.text()).isEmpty();
  }

  @Test
  void tick_afterTheEnd_drawsNothing() {
    WaitLine line = waiting(Style.PLAIN);
    line.close();
    tickAfter(line, 5000);
    assertThat(printed.text()).isEmpty();
  }

  @Test
  void progress_terminal_isABarAndPercent() {
    WaitLine line = waiting(Style.PLAIN);
    line.progress(1, 4);
    tickAfter(line, 3100);
    assertThat(printed.text())
        .isEqualTo("\r      ... Linux boots [######..................], 25 %, 3.1 s");
  }

  @Test
  void state_terminal_standsInPlaceOfTheBar() {
    WaitLine line = waiting(Style.PLAIN);
    line.state("its memory is copied while it works");
    line.progress(1, 1);
    tickAfter(line, 3100);
    assertThat(printed.text())
        .isEqualTo("\r      ... Linux boots: its memory is copied while it works, 100 %, 3.1 s");
  }

  @Test
  void progress_pipe_isPercentAlone() {
    WaitLine line = waiting(Style.PIPE);
    line.progress(5, 4);
    tickAfter(line, 3100);
    assertThat(printed.text()).isEqualTo("      ... Linux boots, 100 %, 3.1 s\n");
  }

  @Test
  void progress_ofNothing_isNoPercent() {
    WaitLine line = waiting(Style.PIPE);
    line.progress(1, 4);
    line.progress(0, 0);
    tickAfter(line, 3100);
    assertThat(printed.text()).doesNotContain("%");
  }
}

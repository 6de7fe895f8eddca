package io.sluice.testbed.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.demo.Screen.Style;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ReportTest {
  private static final long S = 1_000_000_000L;
  private static final Sizes SIZES = new Sizes(64 << 20, 0, 0, 0);

  private final Printed printed = new Printed();
  private long nowNs;
  private final Report report = new Report(printed.screen(Style.PIPE), () -> nowNs);

  @AfterEach
  void close() {
    report.close();
  }

  @Test
  void wholeRun_pipe_hasHeadingsTimesAndTheVerdictLast() {
    report.open(new DemoPlan(false, false, true, false, SIZES));
    report.begin(DemoPart.HOST);
    nowNs += 3 * S;
    report.begin(DemoPart.PROCESS_COPY);
    report.begin(DemoPart.PROCESS_COPY);
    report.check(true, "%s arrived", PlainUnits.bytes(SIZES.copyBytes()));
    report.headline("0 messages");
    nowNs += S / 2;
    report.conclude();
    assertThat(printed.text())
        .startsWith("A process copies 64 MiB on a GPU with 0 messages, 0 calls to the host.\n")
        .endsWith(
            """

            [1/2] A host gets a GPU to share
                  (3.0 s)

            [2/2] A process copies through the GPU
              ok  64 MiB arrived
                  (0.50 s)

            What was measured (all took 3.5 s)
                  0 messages
            demo: ok
            """)
        .doesNotContain("\033", "\r");
    assertThat(report.failed()).isFalse();
  }

  @Test
  void check_thatDoesNotHold_isRememberedForGood() {
    report.check(false, "%d bytes arrived", 63);
    report.check(true, "more");
    report.conclude();
    assertThat(report.failed()).isTrue();
    assertThat(printed.text())
        .startsWith("WRONG 63 bytes arrived\n  ok  more\n")
        .endsWith("\ndemo: FAILED\n");
  }

  @Test
  void lookAt_anySocket_isACommandToType() {
    report.lookAt(List.of(Path.of("/tmp/x/control")));
    assertThat(printed.text()).contains("sluice ctl -s /tmp/x/control top\n");
  }
}

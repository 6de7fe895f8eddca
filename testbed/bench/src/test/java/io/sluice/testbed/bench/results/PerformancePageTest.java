package io.sluice.testbed.bench.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PerformancePageTest {
  private static final BenchEntry P2 =
      new BenchEntry("P2", "a round trip", "./sluice bench P2", "the network is slow");

  @Test
  void page_ofThisTree_isWhatItsResultsSay() throws Exception {
    Path home = Path.of(System.getProperty("sluice.home", "../.."));
    assertThat(Files.readString(home.resolve(PerformancePage.PAGE)))
        .as("docs/performance.md is made by ./sluice bench --page")
        .isEqualTo(PerformancePage.of(home));
  }

  @Test
  void page_twoRunsOnOneMachine_showsTheNewer() {
    String page =
        PerformancePage.of(
            List.of(P2), List.of(run("A", 1, 1.25), run("A", 2, 0.75), run("B", 1, 3)));
    assertThat(page)
        .contains("| 0.75 | met |")
        .contains("| 3 | **short** |")
        .contains("| P2 | a round trip | **1 of 2** | the network is slow | `./sluice bench P2` |")
        .doesNotContain("1.25 ");
  }

  @Test
  void page_shortWithoutAReason_isRefused() {
    BenchEntry silent = new BenchEntry("P2", "a round trip", "./sluice bench P2", "");
    assertThat(PerformancePage.of(List.of(silent), List.of(run("A", 1, 1))))
        .contains("| all of 1 |");
    assertThatThrownBy(() -> PerformancePage.of(List.of(silent), List.of(run("A", 1, 1.25))))
        .hasMessageContaining("bench=P2");
  }

  @Test
  void page_benchWithoutResults_saysThatNothingIsRecorded() {
    assertThat(PerformancePage.of(List.of(P2), List.of()))
        .contains("| P2 | a round trip | not recorded |");
  }

  @Test
  void page_figureWithoutGoal_isLeftOut() {
    assertThat(page(Figure.info("P2", "ours: p50", 12, "ns"))).doesNotContain("ours: p50");
  }

  @Test
  void page_twoRunsOfADay_hasTheLaterOne() {
    assertThat(PerformancePage.of(List.of(P2), List.of(run("A", 1, 9, 0.5), run("A", 1, 8, 0.25))))
        .contains("| 0.5 |")
        .doesNotContain("| 0.25 |");
  }

  @Test
  void page_figureOfManyMeasurements_hasTheirNumberAndP99() {
    Figure figure = Figure.atMost("P2", "p50", 1.5, "us", 2);
    assertThat(page(figure.ofMany(100, 3.25))).contains("| 1.5 us (p99 3.25 us, n 100) | met |");
    assertThat(page(figure.ofMany(99, 3.25))).contains("| 1.5 us (n 99) | met |");
    assertThat(page(figure.ofMany(100))).contains("| 1.5 us (n 100) | met |");
    assertThat(page(figure)).contains("| 1.5 us | met |");
  }

  @Test
  void recording_ofManyMeasurements_isTheSameWhenRead() {
    Figure figure = Figure.atMost("P2", "p50", 1.5, "us", 2);
    Recording recording = recording(List.of(figure.ofMany(100, 3.25), figure.ofMany(5), figure));
    String text = RecordingJson.write(recording);
    assertThat(text).containsOnlyOnce("\"n\":100,\"p99\":3.25").containsOnlyOnce("\"n\":5}");
    assertThat(RecordingJson.read(text)).isEqualTo(recording);
  }

  @Test
  void recording_withoutATime_isOfTheBeginningOfItsDay() {
    String text = RecordingJson.write(run("A", 1, 5, 1)).replaceFirst("\"time\":\"[^\"]*\",", "");
    assertThat(RecordingJson.read(text)).isEqualTo(run("A", 1, 0, 1));
  }

  @Test
  void recording_writtenAndRead_isTheSame() {
    Recording run = run("A", 1, 13, 1.25);
    assertThat(RecordingJson.read(RecordingJson.write(run))).isEqualTo(run);
  }

  @Test
  void recording_ofAnotherSchema_isRefused() {
    String text =
        RecordingJson.write(run("A", 1, 1)).replace("\"schemaVersion\":1", "\"schemaVersion\":2");
    assertThatThrownBy(() -> RecordingJson.read(text)).hasMessageContaining("schemaVersion");
  }

  private static String page(Figure figure) {
    return PerformancePage.of(List.of(P2), List.of(recording(List.of(figure))));
  }

  private static Recording recording(List<Figure> figures) {
    return new Recording(LocalDate.EPOCH.atStartOfDay(), "c", "m", "l", "x", figures);
  }

  private static Recording run(String machine, int day, double value) {
    return run(machine, day, 0, value);
  }

  private static Recording run(String machine, int day, int hour, double value) {
    return new Recording(
        LocalDateTime.of(2026, 1, day, hour, 0),
        "c",
        machine,
        "load 0.1",
        "./sluice bench P2",
        List.of(Figure.atMost("P2", "p50 ratio", value, "", 1.0)));
  }
}

package io.sluice.migrate.report;

import static io.sluice.migrate.report.MoveRecorded.MIB;
import static io.sluice.migrate.report.MoveRecorded.MS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.phase.Phase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

final class MigrationReportTest {
  private static final Pattern PICTURE = Pattern.compile("<svg .*?</svg>", Pattern.DOTALL);
  private static final Pattern BOX =
      Pattern.compile("<rect [^>]*x=\"([^\"]*)\"[^>]* width=\"([^\"]*)\"");
  private static final Pattern CLASS = Pattern.compile("class=\"(k-[a-z-]+|left|sent)\"");

  // ---- the two headlines ----

  @Test
  void pausedNs_machineThatRanWhileItsGpuWasDone_areTwo() {
    MigrationReport report = MoveRecorded.done().report;
    assertThat(report.gpuPausedNs()).isEqualTo((17 + 43) * MS); // 5023 to 5083
    assertThat(report.machinePausedNs()).isEqualTo((5 + 43) * MS);
  }

  @Test
  void pausedNs_machineThatStoodFirst_isTheLongerOne() {
    MoveRecorded move = new MoveRecorded(true);
    move.enter(Phase.DRAIN, 100, "");
    move.stopped(2, 9);
    move.enter(Phase.FINAL_COPY, 200, "");
    move.enter(Phase.DONE, 210, "");
    move.look(210, 1, 0);
    assertThat(move.report.gpuPausedNs()).isEqualTo(12 * MS);
    assertThat(move.report.machinePausedNs()).isEqualTo(19 * MS);
  }

  @Test
  void pausedNs_process_hasNoMachine() {
    MoveRecorded move = new MoveRecorded(false);
    move.enter(Phase.DRAIN, 100, "");
    move.stopped(2, 9);
    move.enter(Phase.FINAL_COPY, 200, "");
    move.enter(Phase.DONE, 210, "");
    move.look(210, 1, 0);
    assertThat(move.report.gpuPausedNs()).isEqualTo(12 * MS);
    assertThat(move.report.machinePausedNs()).isZero();
    assertThat(move.report.text()).doesNotContain("machine stood");
  }

  /** Access was never taken back: nothing stood, however long giving up took. */
  @Test
  void pausedNs_givenUpWhileItCopied_isNone() {
    MoveRecorded move = new MoveRecorded(true);
    move.enter(Phase.PRE_COPY, 10, "");
    move.enter(Phase.ABORTING, 100, "cancelled");
    move.givenUp(new Reason("SLU-MIG-001", "the operator gave it up", "Start it again."), 40);
    move.enter(Phase.ABORTED, 150, "cancelled");
    move.look(150, 1, 0);
    assertThat(move.report.gpuPausedNs()).isZero();
    assertThat(move.report.machinePausedNs()).isZero();
    assertThat(move.report.text())
        .startsWith("guest \"web-01\" was not moved\n")
        .contains("given up [SLU-MIG-001]: the operator gave it up", "fix: Start it again.");
  }

  /** The machine still ran, the GPU had been taken away. */
  @Test
  void pausedNs_givenUpInTheDrain_isTheGpusAlone() {
    MoveRecorded move = new MoveRecorded(true);
    move.enter(Phase.DRAIN, 10, "");
    move.enter(Phase.ABORTING, 100, "cancelled");
    move.givenUp(new Reason("SLU-MIG-001", "it lasts", ""), 40);
    move.enter(Phase.ABORTED, 150, "cancelled");
    move.look(150, 1, 0);
    assertThat(move.report.gpuPausedNs()).isEqualTo(40 * MS);
    assertThat(move.report.machinePausedNs()).isZero();
  }

  // ---- the machine's own bytes ----

  @Test
  void json_machine_itsBytesAreInAllAmounts() {
    String json = MoveRecorded.done().report.json();
    long video = 512 * MIB / 10;
    assertThat(json)
        .startsWith("{\"schemaVersion\":1,")
        .contains(
            "\"bytesTotal\":" + (64 + 512) * MIB + ",",
            "\"bytesSent\":" + (512 * MIB + video) + ",",
            "\"machineBytesSent\":" + 512 * MIB + ",",
            "\"linkBytesSent\":" + video + ",",
            "\"startedAt\":\"2026-11-26T04:10:11Z\",\"endedAt\":\"2026-11-26T04:10:16.083Z\",",
            "\"from\":\"kvm-a\",\"to\":\"kvm-b:7443\",",
            "\"options\":{\"bandwidth\":\"100MiB\"},",
            "{\"atNs\":0,\"phase\":\"prepare\",\"bytesSent\":0,\"bytesLeft\":");
  }

  @Test
  void status_moved_nothingOfTheMachineIsLeft() {
    MoveRecorded move = MoveRecorded.done();
    assertThat(move.status(6000, 512, 7).machineBytesLeft()).isZero();
    assertThat(new MoveRecorded(true).status(6000, 512, 7).allBytesLeft())
        .isEqualTo(7 * MIB + 7 * MIB / 10);
  }

  /** They are in the file, whose bytes the link counts. */
  @Test
  void status_copyIntoAFile_machineIsNotCountedTwice() {
    assertThat(new MoveRecorded(true).intoFile().status(10, 100, 0).allBytesSent())
        .isEqualTo(10 * MIB);
  }

  // ---- text ----

  @Test
  void text_done_hasHeadlinesWithUnits() {
    assertThat(MoveRecorded.done().report.text())
        .startsWith("guest \"web-01\" has moved\n")
        .containsPattern("machine stood still +48\\.0 ms")
        .containsPattern("GPU stood still +60\\.0 ms")
        .containsPattern("sent +563\\.2 MiB, of it 512\\.0 MiB of the machine's own memory")
        .containsPattern("from +kvm-a \\(sluiced 0\\.1\\.0, QEMU 11\\.1\\.2\\)")
        .containsPattern("began +2026-11-26 04:10:11 UTC");
  }

  @Test
  void text_nothingYet_saysSo() {
    assertThat(new MoveRecorded(true).report.text()).isEqualTo("nothing has happened yet\n");
    assertThat(new MoveRecorded(true).report.html()).contains("nothing has happened yet");
  }

  // ---- the page ----

  @Test
  void html_done_isOneFileWithItsPictures() throws Exception {
    String page = MoveRecorded.done().report.html();
    Files.writeString(Path.of("target", "migration-report.html"), page);
    assertThat(page)
        .contains("prefers-color-scheme: dark", "kvm-a", "kvm-b:7443", "The last ", "in all")
        .doesNotContain("src=", "@import", "url(", "<script", "href=");
    Matcher pictures = PICTURE.matcher(page);
    int count = 0;
    while (pictures.find()) {
      assertThat(pictures.group()).startsWith("<svg viewBox=\"0 0 800 ").doesNotContain("NaN");
      inside(BOX.matcher(pictures.group()).results().toList());
      count++;
    }
    assertThat(count).isEqualTo(3);
  }

  /** Nothing is drawn where nobody sees it. */
  private static void inside(List<MatchResult> boxes) {
    assertThat(boxes).isNotEmpty();
    for (MatchResult box : boxes) {
      double x = Double.parseDouble(box.group(1));
      assertThat(x).isBetween(0.0, 800.0);
      assertThat(x + Double.parseDouble(box.group(2))).isBetween(0.0, 801.0);
    }
  }

  @Test
  void html_everyKind_hasAColourInBothLights() {
    String page = MoveRecorded.done().report.html();
    Set<String> kinds = new HashSet<>();
    CLASS.matcher(page).results().forEach(found -> kinds.add(found.group(1)));
    assertThat(kinds).contains("k-drain", "k-stands", "k-runs", "k-stopped", "left", "sent");
    for (Phase phase : Phase.values()) {
      kinds.add("k-" + phase.label());
    }
    for (PausePart.Kind kind : PausePart.Kind.values()) {
      kinds.add("k-" + kind.id());
    }
    assertThat(kinds)
        .allSatisfy(kind -> assertThat(page).containsPattern("\\." + kind + "\\b[^}]*[{]"));
    Matcher used = Pattern.compile("var\\((--[a-z]+)\\)").matcher(page);
    while (used.find()) {
      assertThat(page.split(used.group(1) + ": ", -1)).as(used.group(1)).hasSize(3);
    }
  }

  /** What is written on a bar can be read: 4.5 to 1, as WCAG has it. */
  @Test
  void html_labelsOnBars_standOutInBothLights() {
    String page = MoveRecorded.done().report.html();
    Set<String> colours = new HashSet<>();
    Matcher bars = Pattern.compile("\\.k-[^{]*[{] fill: var\\((--[a-z]+)\\)").matcher(page);
    while (bars.find()) {
      colours.add(bars.group(1));
    }
    assertThat(colours).hasSizeGreaterThan(8);
    for (int theme = 0; theme < 2; theme++) {
      double ink = luminance(page, "--ink", theme);
      for (String colour : colours) {
        double under = luminance(page, colour, theme);
        assertThat((Math.max(ink, under) + 0.05) / (Math.min(ink, under) + 0.05))
            .as("%s, theme %s", colour, theme)
            .isGreaterThanOrEqualTo(4.5);
      }
    }
  }

  /** The relative luminance of a colour; theme 0 is the light one. */
  private static double luminance(String page, String colour, int theme) {
    String digits = page.split(colour + ": #", -1)[theme + 1].substring(0, 6);
    double[] weights = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      double part = Integer.parseInt(digits, 2 * i, 2 * i + 2, 16) / 255.0;
      sum += weights[i] * (part <= 0.04 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
    }
    return sum;
  }

  @Test
  void html_standstillOfLittleRoom_isLabelledWithItsLength() {
    assertThat(MoveRecorded.done().report.html())
        .contains(">stood still 60.0 ms</text>", ">48.0 ms</text>")
        .doesNotContain(">stood still 48.0 ms</text>");
  }

  /** Which had begun before: it comes in as steep as it goes on. */
  @Test
  void html_curveOfTheEnd_beginsOnItsLine() {
    String page = MoveRecorded.done().report.html();
    String end = page.substring(page.indexOf("aria-label=\"the end of it\""));
    Matcher curve = Pattern.compile("class=\"left\" points=\"([^\"]*)\"").matcher(end);
    assertThat(curve.find()).isTrue();
    double[] at =
        Pattern.compile("[ ,]")
            .splitAsStream(curve.group(1))
            .mapToDouble(Double::valueOf)
            .toArray();
    double first = (at[3] - at[1]) / (at[2] - at[0]);
    double second = (at[5] - at[3]) / (at[4] - at[2]);
    assertThat(first).isCloseTo(second, Offset.offset(0.2 * second));
  }

  @Test
  void html_givenUp_saysWhyAndWhatToDo() throws Exception {
    String page = MoveRecorded.failed().report.html();
    Files.writeString(Path.of("target", "migration-report-failed.html"), page);
    assertThat(page)
        .contains(
            "was not moved</h1>",
            "<b>Given up</b>: the link ended <code>SLU-NET-003</code>",
            "Look at the network between the hosts.",
            "It went on here after 50.0 ms.")
        .doesNotContain("NaN");
    PICTURE.matcher(page).results().forEach(p -> inside(BOX.matcher(p.group()).results().toList()));
  }

  @Test
  void html_namesOfOthers_areText() {
    MoveRecorded move = new MoveRecorded(true);
    move.enter(Phase.ABORTED, 10, "<script>");
    move.givenUp(new Reason("X", "<b>\"&", "<i>"), 1);
    move.look(10, 1, 0);
    assertThat(move.report.html())
        .contains("&lt;script&gt;", "&lt;b&gt;&quot;&amp;")
        .doesNotContain("<script>");
  }
}

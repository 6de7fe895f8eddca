package io.sluice.testbed.bench.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The pictures of docs/evaluation.md are of the figures in its tables. */
final class MovePlotsTest {
  private static final Path DOCS = Path.of(System.getProperty("sluice.home", "../.."), "docs");

  /** Program, when; drain, drained while the machine runs, pause. */
  private static final Pattern TAKEN =
      Pattern.compile(
          "(?m)^\\| (?:(mmul|lud), \\d+ MiB, )?(planned|first|last) \\|(?: [^|]*\\|){3}"
              + " (\\d+) ms \\| (\\d+) ms \\| (\\d+) ms \\|");

  /** Of mmul and of lud: drained until it runs there, pause. */
  private static final Pattern FOUND =
      Pattern.compile(
          "(?m)^\\| [^|]+ \\| \\d+, \\d+; (\\d+), (\\d+) ms \\| \\d+, \\d+; (\\d+), (\\d+) ms \\|$");

  private static final List<String> WAYS =
      List.of("basic", "hashing", "sampling", "overlapped", "unseen", "exact" + MovePlots.DEFAULT);

  @Test
  void pictures_ofThisTree_areOfThePagesFigures() throws IOException {
    MovePlots plots = of(Files.readString(DOCS.resolve("evaluation.md")));

    assertPicture(MovePlots.STANDSTILL, plots.standstill());
    assertPicture(MovePlots.SWITCHES, plots.switches());
  }

  private static void assertPicture(String name, String drawn) throws IOException {
    Path file = DOCS.resolve("plots").resolve(name);
    if (System.getProperty("sluice.golden", "").equals("write")) {
      Files.writeString(file, drawn);
    }
    assertThat(Files.readString(file)).isEqualTo(drawn);
  }

  private static MovePlots of(String page) {
    MovePlots plots = new MovePlots();
    String program = "";
    List<MatchResult> taken = TAKEN.matcher(page).results().toList();
    assertThat(taken).hasSize(6);
    for (MatchResult row : taken) {
      program = row.group(1) == null ? program : row.group(1);
      String when = row.group(2).equals("planned") ? "planned" + MovePlots.DEFAULT : row.group(2);
      plots.taken(program, when, number(row, 5), number(row, 4), number(row, 3));
    }
    List<MatchResult> found = FOUND.matcher(page).results().toList();
    assertThat(found).hasSameSizeAs(WAYS);
    for (int column = 1; column < 5; column += 2) {
      for (int i = 0; i < WAYS.size(); i++) {
        double pause = number(found.get(i), column + 1);
        double ran = number(found.get(i), column) - pause;
        plots.found(column == 1 ? "mmul" : "lud", WAYS.get(i), pause, ran);
      }
    }
    return plots;
  }

  private static double number(MatchResult row, int group) {
    return Double.parseDouble(row.group(group));
  }
}

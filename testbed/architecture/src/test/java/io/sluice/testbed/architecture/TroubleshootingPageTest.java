package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Symptoms that people look for are on the page in the words that they see, with what to do. */
final class TroubleshootingPageTest {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));
  private static final Pattern CODE = Pattern.compile("SLU-[A-Z]+-\\d{3}");

  @SuppressWarnings("NullAway.Init")
  private static String page;

  @BeforeAll
  static void read() throws IOException {
    page = Files.readString(HOME.resolve("docs/troubleshooting.md"));
  }

  /** As hw/vfio of QEMU 11.1 prints it at each start of a machine with the device. */
  @Test
  void page_warningOfEveryMachine_isSaidToBeHarmless() {
    assertThat(section("QEMU warns: \"Could not enable error recovery for the device\""))
        .contains("It is harmless.");
  }

  @Test
  void page_estimateThatVaries_isSaidToBeAWarning() {
    assertThat(rows("`migration check`"))
        .singleElement()
        .asString()
        .contains("stand still for longer than `--downtime`", "exits with 0", "`--downtime`");
  }

  @Test
  void page_codes_areOfErrorsThatThereAre() throws IOException {
    String errors = Files.readString(HOME.resolve("docs/errors.md"));

    assertThat(CODE.matcher(page).results().map(MatchResult::group))
        .hasSizeGreaterThanOrEqualTo(10)
        .allMatch(errors::contains);
  }

  @Test
  void page_everyRow_saysWhatToDo() {
    assertThat(rows("| "))
        .hasSizeGreaterThan(20)
        .allSatisfy(row -> assertThat(row.split(" \\| ", -1)).hasSize(3))
        .noneMatch(row -> row.contains("|  |"));
  }

  private static String section(String title) {
    int from = page.indexOf("### " + title + "\n");
    assertThat(from).as(title).isNotNegative();
    int to = page.indexOf("\n#", from + 1);
    return page.substring(from, to);
  }

  /** The rows of tables that have such a symptom, without heads. */
  private static Stream<String> rows(String symptom) {
    return page.lines()
        .filter(line -> line.startsWith("| ") && !line.endsWith("| do this |"))
        .filter(line -> line.split(" \\| ", -1)[0].contains(symptom));
  }
}

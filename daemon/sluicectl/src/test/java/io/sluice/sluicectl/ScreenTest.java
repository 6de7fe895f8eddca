package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables on terminals, of the width that these have. */
final class ScreenTest extends ServedDaemon {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final List<Path> TOOLS =
      List.of(Path.of("/usr/bin/script"), Path.of("/usr/bin/stty"));

  private static List<String> lines(Ctl.Run run) {
    assertThat(run.code()).as(run.err()).isZero();
    return run.out().lines().toList();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 20, 40, 60})
  void list_onANarrowTerminal_endsWhereItDoes(int width) {
    List<String> whole = lines(ctl.run("guest", "list"));
    List<String> cut = lines(ctl.run(Map.of("SLUICE_COLUMNS", "" + width), "guest", "list"));

    assertThat(cut).hasSameSizeAs(whole);
    assertThat(cut).anySatisfy(line -> assertThat(line).endsWith("..."));
    for (int i = 0; i < whole.size(); i++) {
      String kept = cut.get(i).replaceFirst("\\.\\.\\.$", "");
      assertThat(whole.get(i)).startsWith(kept);
      assertThat(kept.equals(whole.get(i))).isEqualTo(whole.get(i).length() <= width);
      assertThat(cut.get(i)).hasSizeLessThanOrEqualTo(Math.max(3, width));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"500", "0", "", "-3", "wide", "99999999999"})
  void list_onAWideTerminalOrNone_isWhole(String width) {
    assertThat(ctl.run(Map.of("SLUICE_COLUMNS", width), "guest", "list"))
        .isEqualTo(ctl.run("guest", "list"));
  }

  @Test
  void list_ofChosenColumnsOrForPrograms_isWhole() {
    Map<String, String> narrow = Map.of("SLUICE_COLUMNS", "10");
    for (String options : List.of("--columns name,model,client", "-f csv", "-f json")) {
      String[] command = ("guest list " + options).split(" ");
      assertThat(ctl.run(narrow, command)).isEqualTo(ctl.run(command));
    }
  }

  /** A real terminal, whose keys a test presses. */
  @Test
  void top_onATerminal_fitsItAndEndsWithQ() throws Exception {
    Assumptions.assumeTrue(TOOLS.stream().allMatch(Files::isExecutable), "no script, or no stty");
    Path shown = dir.resolve("shown");
    Process top = onTerminal("stty cols 40 rows 12; %s top; echo ended $?; stty -a", shown);
    try (OutputStream keys = top.getOutputStream()) {
      await(top, shown, "web-01");
      assertThat(Files.readString(shown)).doesNotContain("ended");

      keys.write('x');
      keys.write('q');
      keys.flush();

      await(top, shown, "ended 0");
      assertThat(top.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      top.destroy();
    }
    String all = Files.readString(shown);
    assertThat(all.substring(all.indexOf("ended 0")))
        .as("the terminal is as it was")
        .contains(" icanon", " echo ");
    String table = all.substring(all.indexOf("\u001b[H"), all.indexOf("ended 0"));
    assertThat(table.lines().map(line -> line.replaceAll("\u001b\\[[0-9;?]*[A-Za-z]", "")))
        .isNotEmpty()
        .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(40));
  }

  private Process onTerminal(String commands, Path shown) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String program =
        String.join(
            " ",
            java,
            "--module-path",
            System.getProperty("jdk.module.path"),
            "--module io.sluice.sluicectl/io.sluice.sluicectl.SluiceCtl --socket",
            dir.resolve("control").toString());
    List<String> words =
        Stream.of("script", "-qec", commands.formatted(program), "/dev/null").toList();
    return new ProcessBuilder(words)
        .redirectErrorStream(true)
        .redirectOutput(shown.toFile())
        .start();
  }

  private static void await(Process process, Path shown, String text) {
    Awaitility.await(text)
        .atMost(PATIENCE)
        .until(() ->
            new String(Files.readAllBytes(shown), StandardCharsets.UTF_8).contains(text)
                || !process.isAlive());
    assertThat(shown).content(StandardCharsets.UTF_8).contains(text);
  }
}

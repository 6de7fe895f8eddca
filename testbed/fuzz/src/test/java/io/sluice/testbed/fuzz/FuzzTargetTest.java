package io.sluice.testbed.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of targets against the sources. */
final class FuzzTargetTest {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));
  private static final Pattern TEST =
      Pattern.compile("@" + "FuzzTest(?:\\([^)]*\\))?\\s+void (\\w+)\\(");

  @Test
  void values_areAllFuzzTestsOfTheTree() throws IOException {
    Set<String> listed =
        Stream.of(FuzzTarget.values())
            .map(target -> target.module() + " " + target.className() + " " + target.method())
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(listed).isEqualTo(inSources());
  }

  @Test
  void values_areOfModulesThatTheLauncherCompiles() throws IOException {
    String launcher = Files.readString(HOME.resolve("sluice"), StandardCharsets.UTF_8);
    String fuzzed =
        launcher
            .lines()
            .filter(line -> line.startsWith("readonly FUZZED="))
            .findFirst()
            .orElseThrow();
    Set<String> compiled =
        new TreeSet<>(List.of(fuzzed.substring("readonly FUZZED=".length()).split(",")));

    Set<String> modules =
        Stream.of(FuzzTarget.values())
            .map(FuzzTarget::module)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(modules).isEqualTo(compiled);
  }

  @Test
  void of_label_isThatTarget() {
    assertThat(FuzzTarget.of(List.of("qmp", "dma")))
        .containsExactly(FuzzTarget.QMP, FuzzTarget.DMA);
    assertThat(FuzzTarget.of(List.of())).hasSize(FuzzTarget.values().length);
    assertThatThrownBy(() -> FuzzTarget.of(List.of("qmq")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("there is no target qmq");
  }

  private static Set<String> inSources() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> files = Files.walk(HOME)) {
      for (Path file :
          (Iterable<Path>)
              files.filter(path -> path.toString().matches(".*/src/test/java/.*\\.java"))
                  ::iterator) {
        Matcher test = TEST.matcher(Files.readString(file, StandardCharsets.UTF_8));
        while (test.find()) {
          String[] parts = HOME.relativize(file).toString().split("/src/test/java/", 2);
          String name = parts[1].replace(".java", "").replace('/', '.');
          found.add(parts[0] + " " + name + " " + test.group(1));
        }
      }
    }
    return found;
  }
}

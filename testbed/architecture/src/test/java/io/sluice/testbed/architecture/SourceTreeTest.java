package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of the source tree: those that only files show. */
final class SourceTreeTest {
  private static final int MAX_LINES = 600;

  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));
  private static final Set<String> LEFT_OUT = Set.of(".git", "target", ".idea", ".vscode");
  private static final Pattern TEXT =
      Pattern.compile(
          ".*\\.(java|c|h|sh|md|xml|toml|yml|py|gdb|config)|.*/(Makefile|Kbuild|sluice)");

  /** The name of a test in a page. */
  private static final Pattern TEST = Pattern.compile("(?<![*\\w])[A-Z]\\w*[a-z]Test\\b");

  /** Written in parts, or this file would break the rule. */
  private static final Pattern OPEN_END =
      Pattern.compile("\\b(" + "TO" + "DO|FIX" + "ME|XX" + "X)\\b(?!\\(#\\d+\\))");

  /**
   * A class of the client's library that programs begin with (docs/vfio-user.md), and the readable
   * definition of the SM, by which tests judge its compiler.
   */
  private static final Set<String> USED_FROM_OUTSIDE = Set.of("DeviceMove", "Interpreter");

  private static final Set<Path> HARNESSES =
      Set.of(Path.of("testbed/jmh"), Path.of("testbed/concurrency"));

  @Test
  void sources_openEnd_namesItsIssue() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : files(TEXT)) {
      List<String> lines = Files.readAllLines(file, StandardCharsets.UTF_8);
      for (int i = 0; i < lines.size(); i++) {
        if (OPEN_END.matcher(lines.get(i)).find()) {
          found.add(HOME.relativize(file) + ":" + (i + 1) + ": " + lines.get(i).strip());
        }
      }
    }

    assertThat(found).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"TO" + "DO: later", "// FIX" + "ME", "a TO" + "DO (#x)"})
  void openEnd_withoutIssue_isFound(String line) {
    assertThat(OPEN_END.matcher(line).find()).isTrue();
  }

  @Test
  void openEnd_withIssue_isAllowed() {
    assertThat(OPEN_END.matcher("TO" + "DO(#12): later").find()).isFalse();
    assertThat(OPEN_END.matcher("sluice.XXXXXX").find()).isFalse();
  }

  /** JMH and jcstress generate classes beside ours and start processes by the class path. */
  @Test
  void modules_allButOfHarnesses_haveADescriptor() throws IOException {
    Set<Path> without = new TreeSet<>();
    for (Path source : sourceRoots()) {
      if (!HARNESSES.contains(HOME.relativize(source).subpath(0, 2))
          && !Files.exists(source.resolve("module-info.java"))) {
        without.add(HOME.relativize(source));
      }
    }

    assertThat(without).isEmpty();
  }

  /** The checks come with testbed-checks, or with testbed-fakes, which brings it along. */
  @Test
  void modules_withTests_haveThemCheckedForLeaksAndTheirTime() throws IOException {
    Set<Path> without = new TreeSet<>();
    for (Path source : sourceRoots()) {
      Path module = source.resolve("../../..").normalize();
      if (Files.exists(module.resolve("src/test/java")) && !areTestsChecked(module)) {
        without.add(HOME.relativize(module));
      }
    }

    assertThat(without).isEmpty();
  }

  private static boolean areTestsChecked(Path module) throws IOException {
    String pom = Files.readString(module.resolve("pom.xml"));
    return pom.contains("<artifactId>testbed-checks</artifactId>")
        || pom.contains("<artifactId>testbed-fakes</artifactId>");
  }

  @Test
  void packages_all_areNullMarked() throws IOException {
    Set<Path> without = new TreeSet<>();
    for (Path source : sourceRoots()) {
      for (Path file : below(source, Pattern.compile(".*\\.java"))) {
        Path directory = file.getParent();
        if (directory != null && !directory.equals(source) && !isNullMarked(directory)) {
          without.add(HOME.relativize(directory));
        }
      }
    }

    assertThat(without).isEmpty();
  }

  @Test
  void typeComments_all_sayWhatTheTypeIs() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : sources()) {
      for (String declared : SourceRules.commentsWithoutNoun(Files.readString(source))) {
        found.add(SourceRules.packageOf(source) + "." + declared);
      }
    }

    assertThat(found).as("comments that begin with no noun").isEmpty();
  }

  @Test
  void simpleNames_all_standOnceInTheProduct() throws IOException {
    SortedMap<String, List<String>> found = SourceRules.namesTwice(product());

    assertThat(found).as("names that stand twice").isEmpty();
  }

  @Test
  void files_all_areShort() throws IOException {
    List<String> found = new ArrayList<>();
    List<Path> files = new ArrayList<>(files(Pattern.compile(".*\\.java")));
    files.addAll(below(HOME.resolve("guest-driver-stubs"), Pattern.compile(".*\\.[ch]")));
    for (Path file : files) {
      try (Stream<String> lines = Files.lines(file)) {
        long count = lines.count();
        if (count > MAX_LINES) {
          found.add(HOME.relativize(file) + ": " + count);
        }
      }
    }

    assertThat(found).as("files of more than %s lines", MAX_LINES).isEmpty();
  }

  /** Pages say which test shows what: whoever follows them is to find it. */
  @Test
  void pages_thatNameTests_nameOnesThatExist() throws IOException {
    Set<String> tests = new TreeSet<>();
    for (Path test : files(Pattern.compile(".*Test\\.java"))) {
      tests.add(test.getFileName().toString().replace(".java", ""));
    }
    List<String> missing = new ArrayList<>();
    for (Path page : files(Pattern.compile(".*\\.md"))) {
      TEST.matcher(Files.readString(page))
          .results()
          .map(MatchResult::group)
          .filter(name -> !tests.contains(name))
          .forEach(name -> missing.add(HOME.relativize(page) + ": " + name));
    }
    assertThat(tests).hasSizeGreaterThan(300);
    assertThat(missing).isEmpty();
  }

  /** Readers have light pages and dark ones, and some hear them. */
  @Test
  void pictures_ofPages_areLightAndDarkAndHaveWords() throws IOException {
    List<Path> pictures = below(HOME.resolve("docs"), Pattern.compile(".*\\.svg"));

    assertThat(pictures)
        .hasSizeGreaterThan(3)
        .allSatisfy(picture ->
            assertThat(Files.readString(picture))
                .as(picture.toString())
                .contains("@media (prefers-color-scheme: dark)", "role=\"img\"")
                .containsPattern("aria-label=\"\\w")
                .doesNotContain("fill=\"white\""));
  }

  @Test
  void packages_all_areTakenInAtAGlance() throws IOException {
    SortedMap<String, Integer> found = SourceRules.crowded(product());

    assertThat(found).as("packages of more than %s files", SourceRules.MAX_FILES).isEmpty();
  }

  /** GuestAbi has one constant for each of the C header's, as a test of its own demands. */
  @Test
  void constantsOfTheKernelAbi_all_areNamedSomewhere() throws IOException {
    Path abi = HOME.resolve("kernel-abi/src/main/java");
    List<SourceRules.Source> sources = new ArrayList<>();
    for (Path file : files(Pattern.compile(".*/src/(main|test|jcstress)/java/.*\\.java"))) {
      boolean checked = file.startsWith(abi) && !file.endsWith("GuestAbi.java");
      sources.add(SourceRules.Source.of(file, Files.readString(file), checked));
    }
    assertThat(sources.stream().filter(SourceRules.Source::isChecked)).hasSizeGreaterThan(100);

    assertThat(SourceRules.unusedConstants(sources)).isEmpty();
  }

  /** The product has what its users need; what only tests need is theirs. */
  @Test
  void typesOfTheProduct_all_areUsedByIt() throws IOException {
    List<SourceRules.Source> sources = new ArrayList<>();
    for (Path file : product()) {
      sources.add(SourceRules.Source.of(file, Files.readString(file), true));
    }

    assertThat(SourceRules.typesWithoutUser(sources))
        .containsExactlyInAnyOrderElementsOf(USED_FROM_OUTSIDE);
  }

  @Test
  void fieldsThatCount_all_areReadAsNumbers() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : product()) {
      found.addAll(SourceRules.numbersReadAsBits(Files.readString(source)));
    }

    assertThat(found).as("numbers without sign that are read as words with one").isEmpty();
  }

  /** What sleeps for something fails when the machine is busy, or takes long when it is not. */
  @Test
  void sources_all_waitForWhatTheyNeedAndNotForTime() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path source : files(Pattern.compile(".*/src/(main|test)/java/.*\\.java"))) {
      if (!source.toString().contains("/architecture/")
          && SourceRules.sleeps(Files.readString(source))) {
        found.add(String.valueOf(source.getFileName()).replace(".java", ""));
      }
    }

    assertThat(found)
        .as("sources that sleep, and the list of those that may")
        .containsExactlyInAnyOrderElementsOf(Sleepers.REASONS.keySet());
  }

  /** The main sources of all modules but the testbed's. */
  private static List<Path> product() throws IOException {
    return sources().stream()
        .filter(source -> !HOME.relativize(source).startsWith("testbed"))
        .toList();
  }

  /** What is no test, of the product and of the testbed. */
  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path root : sourceRoots()) {
      sources.addAll(below(root, Pattern.compile(".*\\.java")));
    }
    assertThat(sources).hasSizeGreaterThan(500);
    return sources;
  }

  private static boolean isNullMarked(Path directory) throws IOException {
    Path info = directory.resolve("package-info.java");
    return Files.exists(info) && Files.readString(info).contains("@NullMarked");
  }

  /** The {@code src/main/java} of every module. */
  private static List<Path> sourceRoots() throws IOException {
    List<Path> roots =
        files(Pattern.compile(".*/pom\\.xml")).stream()
            .map(pom -> pom.resolveSibling("src/main/java"))
            .filter(Files::isDirectory)
            .toList();
    assertThat(roots).hasSizeGreaterThan(10);
    return roots;
  }

  private static List<Path> files(Pattern name) throws IOException {
    return below(HOME, name);
  }

  private static List<Path> below(Path directory, Pattern name) throws IOException {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.sorted().toList()) {
        if (Files.isSymbolicLink(entry) || LEFT_OUT.contains(entry.getFileName().toString())) {
          continue;
        }
        if (Files.isDirectory(entry)) {
          found.addAll(below(entry, name));
        } else if (name.matcher(entry.toString()).matches()) {
          found.add(entry);
        }
      }
    }
    return found;
  }
}

package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.sluice.abi.ErrorText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every error has one code, one line in a table, and that line on docs/errors.md. */
final class ErrorsPageTest {
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));
  private static final Pattern CODE = Pattern.compile("SLU-[A-Z]+-\\d{3}");
  private static final Pattern LITERAL = Pattern.compile("\"(" + CODE + ")\"");

  @SuppressWarnings("NullAway.Init")
  private static List<ErrorText> errors;

  @BeforeAll
  static void read() {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.sluice");
    errors = ErrorsPage.errors(classes);
    assertThat(errors).hasSizeGreaterThan(150);
  }

  @Test
  void page_ofThisTree_isWhatTheTablesSay() throws IOException {
    Path page = HOME.resolve(ErrorsPage.PAGE);
    String expected = ErrorsPage.of(errors);
    if (System.getProperty("sluice.golden", "").equals("write")) {
      Files.writeString(page, expected);
    }

    assertThat(Files.readString(page)).isEqualTo(expected);
  }

  @Test
  void codes_ofAllTables_meanOneThing() {
    assertThat(ErrorsPage.codesTwice(errors)).isEmpty();
  }

  /** A code that stands in no table, or where it is thrown, would not be on the page. */
  @Test
  void codes_inTheProductsSources_standOnceInATable() throws IOException {
    List<String> written = new ArrayList<>();
    for (Path source : files(p -> p.toString().contains("/src/main/java/"))) {
      Matcher literal = LITERAL.matcher(Files.readString(source));
      while (literal.find()) {
        written.add(literal.group(1));
      }
    }

    assertThat(written).containsExactlyInAnyOrderElementsOf(known());
  }

  @Test
  void codes_inCommentsAndDocuments_areThere() throws IOException {
    Set<String> unknown = new TreeSet<>();
    for (Path file : files(p -> p.toString().contains("/src/main/") || isPage(p))) {
      Matcher code = CODE.matcher(Files.readString(file));
      while (code.find()) {
        unknown.add(code.group());
      }
    }
    unknown.removeAll(known());

    assertThat(unknown).isEmpty();
  }

  @Test
  void codesTwice_ofTwoMeanings_findsTheCode() {
    ErrorText one = new ErrorText("SLU-DMA-001", "a", "b", "c");
    ErrorText other = new ErrorText("SLU-DMA-002", "a", "b", "c");

    assertThat(ErrorsPage.codesTwice(List.of(one, other, one))).containsExactly("SLU-DMA-001");
  }

  @Test
  void page_errorOfNoArea_isRefused() {
    assertThatThrownBy(() -> ErrorsPage.of(List.of(new ErrorText("SLU-NEW-001", "a", "b", "c"))))
        .hasMessageContaining("NEW");
  }

  @Test
  void page_textThatEndsTheCell_isRefused() {
    assertThatThrownBy(() -> ErrorsPage.of(List.of(new ErrorText("SLU-DMA-001", "a|b", "b", "c"))))
        .hasMessageContaining("a|b");
  }

  private static Set<String> known() {
    return errors.stream().map(ErrorText::code).collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean isPage(Path file) {
    return file.startsWith(HOME.resolve("docs")) && file.toString().endsWith(".md");
  }

  /** Files of the tree, but for the testbed's and what builds leave. */
  private static List<Path> files(Predicate<Path> wanted) throws IOException {
    try (Stream<Path> files = Files.walk(HOME)) {
      return files
          .filter(p -> !p.startsWith(HOME.resolve("testbed")) && !p.toString().contains("/target/"))
          .filter(p -> p.toString().endsWith(".java") || p.toString().endsWith(".md"))
          .filter(wanted)
          .filter(Files::isRegularFile)
          .toList();
    }
  }
}

package io.sluice.testbed.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages for operators are read in a hurry: no sentence of theirs is long. */
final class PageSentencesTest {
  private static final int MOST_WORDS = 25;
  private static final Path HOME = Path.of(System.getProperty("sluice.home", "../.."));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "README.md",
        "docs/README.md",
        "docs/configuration.md",
        "docs/cuda.md",
        "docs/getting-started.md",
        "docs/hopper.md",
        "docs/installation.md",
        "docs/metrics.md",
        "docs/migration.md",
        "docs/quotas.md",
        "docs/sessions.md",
        "docs/troubleshooting.md",
      })
  void pages_forOperators_haveShortSentences(String page) throws IOException {
    List<String> sentences = PageSentences.of(Files.readString(HOME.resolve(page)));

    assertThat(sentences).as("there is something to read").isNotEmpty();
    assertThat(sentences).filteredOn(s -> PageSentences.words(s) > MOST_WORDS).isEmpty();
  }

  @Test
  void of_pageWithAllKinds_hasTheSentencesOfParagraphsAndItems() {
    String page =
        """
        # A heading. It is none.

        The first
        goes on. The `code. Of it` is [a word. No end](there.md).
        * An item: Not the next.
        * `sluicectl` begins one.
        1. So does a number.
        2. And its second.

        The year was
        1984. That is no item.

        | a table. | It is none. |
        ```sh
        echo no. No.
        ```
        ![A picture. It is none.](a.png)
        > A quote.
        > Its second.
        """;

    assertThat(PageSentences.of(page))
        .containsExactly(
            "The first goes on.",
            "The Code is a word.",
            "No end.",
            "An item:",
            "Not the next.",
            "Code begins one.",
            "So does a number.",
            "And its second.",
            "The year was 1984.",
            "That is no item.",
            "A quote.",
            "Its second.");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 0",
    "One., 1",
    "'It is the guest''s own (SLU-GUEST-003), of 1,024 MiB.', 9",
    "a - b, 2",
  })
  void words_ofASentence_areCounted(String sentence, int words) {
    assertThat(PageSentences.words(sentence)).isEqualTo(words);
  }

  @Test
  void of_longSentenceOverSeveralLines_isFound() {
    List<String> found = PageSentences.of("word ".repeat(20) + "\n" + "word ".repeat(6) + "end.\n");

    assertThat(found)
        .singleElement()
        .satisfies(s -> assertThat(PageSentences.words(s)).isEqualTo(27));
  }
}

package io.sluice.testbed.bench.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CodeLinesTest {
  @Test
  void commentsAndBlankLines_areNotCounted() {
    List<String> source =
        List.of(
            "/* A comment. */", "", "  // another", "/**", " * of several lines", " */", "int a;");
    assertThat(CodeLines.of(source)).isEqualTo(1);
  }

  @Test
  void codeBesideAComment_isCounted() {
    List<String> source =
        List.of("int a; /* begins", "and ends */ int b;", "/* one */ int c;", "int d; // there");
    assertThat(CodeLines.of(source)).isEqualTo(4);
  }
}

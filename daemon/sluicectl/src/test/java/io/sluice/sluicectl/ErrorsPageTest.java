package io.sluice.sluicectl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.management.ErrorCode;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class ErrorsPageTest {
  @Test
  void lines_ofThisBuild_haveTheErrorsOfThisProgram() {
    assertThat(ErrorsPage.lines().keySet())
        .containsAll(Arrays.stream(ErrorCode.values()).map(ErrorCode::code).toList());
  }

  @Test
  void parse_aPage_takesItsErrorsAndNothingElse() {
    assertThat(
            ErrorsPage.parse(
                """
                # Errors
                | code | meaning | cause | remedy |
                |---|---|---|---|
                | SLU-A-001 | It failed. | It can. | Try again. |
                """))
        .containsOnlyKeys("SLU-A-001")
        .containsValue(new ErrorsPage.Line("SLU-A-001", "It failed.", "It can.", "Try again."));
  }

  @Test
  void parse_lineWithoutRemedy_isRefused() {
    assertThatThrownBy(() -> ErrorsPage.parse("| SLU-A-001 | It failed. | It can. |\n"))
        .hasMessageContaining("SLU-A-001");
  }
}

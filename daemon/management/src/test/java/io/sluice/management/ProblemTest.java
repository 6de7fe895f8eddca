package io.sluice.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ProblemTest {
  /** Each is written for its own place; behind "fix:" all look alike. */
  @Test
  void fix_ofAnySource_hasOneForm() {
    assertThat(Problem.fix("Take another checkpoint, or use an earlier one."))
        .isEqualTo("take another checkpoint, or use an earlier one");
    assertThat(Problem.fix("choose 10ms to 1h")).isEqualTo("choose 10ms to 1h");
    assertThat(Problem.fix("QEMU must be started with -S."))
        .isEqualTo("QEMU must be started with -S");
    assertThat(Problem.fix("")).isEmpty();
  }

  @Test
  void parse_otherText_isEmpty() {
    assertThat(Problem.parse("")).isEmpty();
    assertThat(Problem.parse("no code at all")).isEmpty();
    assertThat(Problem.parse("wrong order [SLU-GUEST-001]\nfix: a\ncause: b")).isEmpty();
  }

  @Test
  void parse_textOfAProblem_givesIt() {
    Problem full = Problem.of(ErrorCode.GUEST_UNKNOWN, "no guest [x]", "why", "do that");
    Problem bare = Problem.of(ErrorCode.GPU_UNKNOWN, "no gpu", "", "");
    Problem onlyFix = Problem.of(ErrorCode.GPU_UNKNOWN, "no gpu", "", "do this");

    assertThat(Problem.parse(full.text())).contains(full);
    assertThat(Problem.parse(bare.text())).contains(bare);
    assertThat(Problem.parse(onlyFix.text())).contains(onlyFix);
  }

  @Test
  void constructor_severalLines_makesThemOne() {
    Problem problem = Problem.of(ErrorCode.GUEST_NAME, "bad\nname", "a\r\nb", "");

    assertThat(Problem.parse(problem.text())).contains(problem);
    assertThat(problem.what()).isEqualTo("bad name");
  }

  @Test
  void codes_all_areDistinctAndWellFormed() {
    assertThat(Arrays.stream(ErrorCode.values()).map(ErrorCode::code).collect(Collectors.toSet()))
        .hasSize(ErrorCode.values().length)
        .allMatch(code -> code.matches("SLU-[A-Z]+-\\d{3}"));
    assertThat(ErrorCode.kindOf("SLU-GUEST-001")).isEqualTo(ErrorKind.NOT_FOUND);
    assertThat(ErrorCode.kindOf("SLU-NONE-999")).isEqualTo(ErrorKind.FAILED);
  }
}

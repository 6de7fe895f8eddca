package io.sluice.remoting.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The calls that have a compiler work, by their numbers, against the specification's. */
final class LongCallsTest {
  private static final Pattern CALL = Pattern.compile("(\\d+) (\\w+)\\(.*");

  @Test
  void takesLong_thoseThatCompile_andNoOthers() throws Exception {
    List<String> found =
        Files.readAllLines(Path.of("../spec/opencl.calls")).stream()
            .map(CALL::matcher)
            .filter(Matcher::matches)
            .filter(call -> Programs.takesLong(Integer.parseInt(call.group(1))))
            .map(call -> call.group(2))
            .toList();
    assertThat(found).containsExactly("buildProgram", "compileProgram", "linkProgram");
  }
}

package io.sluice.testbed.workloads.cubin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.workloads.Kernels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cubins for programs that are no tests. */
final class CubinToolTest {
  @TempDir private Path dir;
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private int run(Object... arguments) throws IOException {
    List<String> words = List.of(arguments).stream().map(Object::toString).toList();
    return CubinTool.run(words, new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  @Test
  void run_aDirectory_hasTheKernelsOfAllWorkloads() throws IOException {
    assertThat(run(dir.resolve("new"))).isZero();

    for (String name : Kernels.FILES) {
      assertThat(dir.resolve("new/" + name + ".cubin"))
          .hasBinaryContent(Cubin.write(Kernels.file(name)));
    }
  }

  @Test
  void run_aFile_isAssembled() throws IOException {
    Path source = Files.writeString(dir.resolve("own.sasm"), ".kernel own\n  EXIT\n");

    assertThat(run(dir, source)).isZero();

    assertThat(dir.resolve("own.cubin")).isNotEmptyFile();
    assertThat(dir.resolve("mmul.cubin")).doesNotExist();
  }

  @Test
  void run_aFileThatIsWrong_saysWhere() throws IOException {
    Path source = Files.writeString(dir.resolve("own.sasm"), ".kernel own\n  LEAVE\n");

    assertThat(run(dir, source)).isEqualTo(65);

    assertThat(said).hasToString(source + ": line 2: LEAVE: no such instruction\n");
    assertThat(dir.resolve("own.cubin")).doesNotExist();
  }

  @Test
  void run_nothing_saysHow() throws IOException {
    assertThat(run()).isEqualTo(64);
    assertThat(said.toString(StandardCharsets.UTF_8)).startsWith("usage: ");
  }
}

package io.sluice.testbed.workloads.cubin;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.Jazzer;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.sluice.testbed.workloads.Kernels;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files for the guest library's loader of cubins and fat binaries, which is C: a program with
 * sanitizers reads and loads one after the other. What it answers, without its numbers, leads the
 * fuzzer in the place of coverage.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CubinFuzzTest {
  private static final int MAX_BYTES = 1 << 16;
  private static final Pattern NAMES_AND_NUMBERS =
      Pattern.compile("[0-9]+|\\.\\S*|(?<=kernel |variable )\\S*");

  private Process program;
  private OutputStream files;
  private BufferedReader answers;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException, InterruptedException {
    program = CubinReader.build(directory).serve();
    files = program.getOutputStream();
    answers =
        new BufferedReader(
            new InputStreamReader(program.getInputStream(), StandardCharsets.ISO_8859_1));
  }

  @AfterAll
  void end() throws IOException, InterruptedException {
    if (program != null) {
      files.close();
      assertThat(program.waitFor()).isZero();
    }
  }

  static Stream<byte[]> files() throws IOException {
    return Stream.of(
        Cubin.write(Kernels.file("nn")),
        Cubin.write(Kernels.file("lud")),
        CubinFile.fat(List.of(30, 20), List.of(new byte[8], Cubin.write(Kernels.file("nn")))),
        new byte[64]);
  }

  @MethodSource("files")
  @FuzzTest
  void file(byte[] input) throws IOException {
    if (input.length > MAX_BYTES) {
      return;
    }
    ByteBuffer length = ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(input.length);
    try {
      files.write(length.array());
      files.write(input);
      files.flush();
    } catch (IOException e) {
      throw new AssertionError("the program has ended: " + rest(), e);
    }
    String answer = answers.readLine();
    if (answer == null || !answer.startsWith("refused: ") && !answer.contains(" kernels, ")) {
      throw new AssertionError(answer + "\n" + rest());
    }
    int kind = NAMES_AND_NUMBERS.matcher(answer).replaceAll("").hashCode();
    Jazzer.exploreState((byte) (kind ^ kind >>> 8 ^ kind >>> 16 ^ kind >>> 24), 1);
  }

  private String rest() {
    return answers.lines().collect(Collectors.joining("\n"));
  }
}

package io.sluice.testbed.workloads.cubin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.SanitizedProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The reader of the guest program hopper, on the cubin that nvcc has made for it. */
final class HopperKernelTest {
  private static final int ROUNDS = 20_000;
  private static final int ENOENT = 2;
  private static final int EINVAL = 22;

  private static CubinReader reader;
  private static Path cubin;

  @TempDir private Path directory;

  @BeforeAll
  static void build(@TempDir Path directory) throws Exception {
    // The directory goes when this class is done.
    reader = CubinReader.buildHopper(directory);
    cubin = SanitizedProgram.stubs().resolve("programs/hopper.cubin");
  }

  private void assertRefused(byte[] file, int errno) throws Exception {
    SanitizedProgram.Result result =
        reader.read(Files.write(directory.resolve("damaged.cubin"), file), "mmul");
    assertThat(result.text()).isEqualTo("error " + errno + "\n");
  }

  /** Three pointers and a word; a pointer and two words: behind what the driver puts there. */
  @ParameterizedTest
  @CsvSource({"mmul, 0x210+28", "step, 0x210+16"})
  void read_kernel_hasItsParametersWhereNvccHasPutThem(String name, String parameters)
      throws Exception {
    SanitizedProgram.Result result = reader.read(cubin, name);
    assertThat(result.status()).as(result.text()).isZero();
    assertThat(result.text())
        .matches("code [1-9][0-9]+ registers [1-9][0-9]* parameters .*\n")
        .endsWith(" parameters " + parameters + "\n");
  }

  @Test
  void read_noSuchKernel_saysSo() throws Exception {
    assertThat(reader.read(cubin, "mmu").text()).isEqualTo("error " + ENOENT + "\n");
    assertThat(reader.read(cubin, "mmull").text()).isEqualTo("error " + ENOENT + "\n");
  }

  @Test
  void read_fileThatIsNone_isRefused() throws Exception {
    byte[] whole = Files.readAllBytes(cubin);
    assertRefused(Arrays.copyOf(whole, 63), EINVAL);
    byte[] other = whole.clone();
    other[18] = 62; // e_machine: x86-64
    assertRefused(other, EINVAL);
    assertRefused(Arrays.copyOf(whole, 64), ENOENT); // the table of sections is beyond its end
  }

  @Test
  void read_damagedFiles_neverLeadsOutOfThem() throws Exception {
    SanitizedProgram.Result result = reader.fuzz(90, ROUNDS, cubin, "mmul");
    assertThat(result.status()).as(result.text()).isZero();
  }
}

package io.sluice.testbed.workloads.cubin;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.SanitizedProgram;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.workloads.Kernels;
import io.sluice.testbed.workloads.asm.Kernel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The guest library's reader of cubins: broken files, and those this module writes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(Seeds.class)
final class CubinReaderTest {
  private static final int FUZZ_ROUNDS = 20_000;
  private static final int SECTION_BYTES = 64;
  private static final int TYPE = 4;
  private static final int FLAGS = 8;
  private static final int OFFSET = 24;
  private static final int SIZE = 32;
  private static final int LINK = 40;
  private static final int INFO = 44;

  private Path directory;
  private CubinReader reader;

  @BeforeAll
  void build(@TempDir Path temporary) throws Exception {
    directory = temporary;
    reader = CubinReader.build(temporary);
  }

  @Test
  void read_emptyFile_isRefused() throws Exception {
    assertThat(read(new byte[0])).isEqualTo(refused("not an ELF file"));
  }

  @Test
  void read_cutAnywhere_isRefused() throws Exception {
    byte[] file = Cubin.write(Kernels.file("nn"));
    for (int length = 0; length < file.length; length += 61) {
      byte[] part = new byte[length];
      System.arraycopy(file, 0, part, 0, length);

      assertThat(read(part).status()).as("cut at %d", length).isEqualTo(1);
    }
  }

  @Test
  void read_otherKindsOfElf_areRefused() throws Exception {
    assertThat(damaged(f -> f.put(4, (byte) 3)))
        .isEqualTo(refused("not a little-endian ELF file of 32 or 64 bits"));
    assertThat(damaged(f -> f.put(5, (byte) 2)))
        .isEqualTo(refused("not a little-endian ELF file of 32 or 64 bits"));
    assertThat(damaged(f -> f.put(4, (byte) 1)).status()).isEqualTo(1);
    assertThat(damaged(f -> f.putShort(18, (short) 62)))
        .isEqualTo(refused("not for CUDA: machine 62"));
    assertThat(damaged(f -> f.putInt(48, 0x0023_0023)))
        .isEqualTo(refused("built for sm_35, this GPU runs sm_20"));
  }

  @Test
  void read_sectionTable_isChecked() throws Exception {
    assertThat(damaged(f -> f.putLong(40, -8)))
        .isEqualTo(refused("the section headers lie outside the file"));
    assertThat(damaged(f -> f.putLong(40, Long.MAX_VALUE)))
        .isEqualTo(refused("the section headers lie outside the file"));
    assertThat(damaged(f -> f.putShort(60, (short) 0xffff)))
        .isEqualTo(refused("65535 sections; 1 to 4096 are allowed"));
    assertThat(damaged(f -> f.putShort(62, (short) 500)).status()).isEqualTo(1);
    assertThat(damaged(f -> f.putShort(58, (short) 40)))
        .isEqualTo(refused("section headers of 40 bytes"));
  }

  @Test
  void read_codeOutsideTheFile_isRefused() throws Exception {
    assertThat(inSection(".text.euclid", OFFSET, 0xffff_ffff_ffff_fff0L).text())
        .contains("lies outside the file");
    assertThat(inSection(".text.euclid", SIZE, Long.MAX_VALUE - 7).text())
        .contains("lies outside the file");
    assertThat(inSection(".text.euclid", SIZE, 12).text()).contains("12 bytes of code");
    assertThat(inSection(".text.euclid", TYPE, 0).text()).contains("0 bytes of code");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 64, 255})
  void read_registersOutOfRange_areRefused(int registers) throws Exception {
    assertThat(inSection(".text.euclid", INFO, (long) registers << 24))
        .isEqualTo(refused("kernel euclid: " + registers + " registers; 1 to 63 are allowed"));
  }

  @Test
  void read_barriersOutOfRange_areRefused() throws Exception {
    assertThat(inSection(".text.euclid", FLAGS, 6 | 31L << 20))
        .isEqualTo(refused("kernel euclid: 31 barriers; at most 15 are allowed"));
  }

  @Test
  void read_tooMuchSharedMemory_isRefused() throws Exception {
    assertThat(inSection(".nv.shared.euclid", SIZE, 49153))
        .isEqualTo(refused(".nv.shared.euclid has 49153 bytes; at most 49152 are allowed"));
  }

  @Test
  void read_infoRecords_areChecked() throws Exception {
    assertThat(inRecords(f -> f.put(0, (byte) 9)).text()).contains("a record of format 9");
    assertThat(inRecords(f -> f.putShort(2, (short) 0x7fff)).text())
        .contains("ends in the middle of a record");
    assertThat(inRecords(f -> f.putShort(2, (short) 4)).text()).contains("is too short");
    assertThat(inSection(".nv.info", LINK, 9999).text()).contains("section 9999");
  }

  @Test
  void read_sectionOfNoKernel_isRefused() throws Exception {
    byte[] file = Cubin.write(Kernels.file("nn"));
    String text = new String(file, StandardCharsets.ISO_8859_1);
    int name = text.indexOf(".nv.shared.euclid");
    file[name + 12] = 'x';

    assertThat(read(file)).isEqualTo(refused(".nv.shared.exclid belongs to no kernel"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mmul", "lud", "nn", "backprop"})
  void read_ownFile_findsWhatWasWritten(String name) throws Exception {
    SanitizedProgram.Result result = read(Cubin.write(Kernels.file(name)));

    StringBuilder expected = new StringBuilder();
    for (Kernel kernel : Kernels.file(name)) {
      expected.append(line(kernel)).append('\n');
    }
    assertThat(result).isEqualTo(new SanitizedProgram.Result(0, expected.toString()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mmul", "lud", "nn", "backprop"})
  void read_damagedFiles_isNeverCaughtOut(String name, RandomGenerator random) throws Exception {
    Path file = Files.write(directory.resolve(name), Cubin.write(Kernels.file(name)));

    SanitizedProgram.Result result = reader.fuzz(random.nextLong(), FUZZ_ROUNDS, file);

    assertThat(result.status()).as(result.text()).isZero();
  }

  private static String line(Kernel kernel) {
    StringBuilder text = new StringBuilder();
    text.append("kernel ").append(kernel.name()).append(" code=").append(8 * kernel.words().size());
    text.append(" registers=").append(kernel.registers());
    text.append(" barriers=").append(kernel.barriers());
    text.append(" shared=").append(kernel.sharedBytes()).append(" local=0");
    text.append(" frame=").append(kernel.localBytes());
    text.append(" stack=").append(kernel.stackBytes());
    text.append(" parameters=").append(kernel.parameterBytes());
    String separator = ":";
    for (Kernel.Parameter parameter : kernel.parameters()) {
      text.append(separator).append(parameter.offset() - Kernel.PARAMETER_BASE);
      text.append('+').append(parameter.bytes());
      separator = ",";
    }
    return text.toString();
  }

  private static SanitizedProgram.Result refused(String problem) {
    return new SanitizedProgram.Result(1, "problem: " + problem + "\n");
  }

  private SanitizedProgram.Result read(byte[] file) throws IOException, InterruptedException {
    return reader.read(Files.write(directory.resolve("file"), file));
  }

  private SanitizedProgram.Result damaged(Consumer<ByteBuffer> damage)
      throws IOException, InterruptedException {
    byte[] file = Cubin.write(Kernels.file("nn"));
    damage.accept(ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN));
    return read(file);
  }

  /** Another value in a field of a section's header. */
  private SanitizedProgram.Result inSection(String name, int field, long value)
      throws IOException, InterruptedException {
    return damaged(file -> {
      int header = header(file, name);
      if (field == TYPE || field == LINK || field == INFO) {
        file.putInt(header + field, (int) value);
      } else {
        file.putLong(header + field, value);
      }
    });
  }

  /** Damages the kernel's records, of which the first is that of the parameters' bank. */
  private SanitizedProgram.Result inRecords(Consumer<ByteBuffer> damage)
      throws IOException, InterruptedException {
    return damaged(file -> {
      int at = (int) file.getLong(header(file, ".nv.info.euclid") + OFFSET);
      damage.accept(file.slice(at, file.capacity() - at).order(ByteOrder.LITTLE_ENDIAN));
    });
  }

  private static int header(ByteBuffer file, String name) {
    int table = (int) file.getLong(40);
    int names = (int) file.getLong(table + SECTION_BYTES * file.getShort(62) + OFFSET);
    String all = new String(file.array(), StandardCharsets.ISO_8859_1);
    for (int i = 1; i < file.getShort(60); i++) {
      int header = table + SECTION_BYTES * i;
      if (all.startsWith(name + "\0", names + file.getInt(header))) {
        return header;
      }
    }
    throw new AssertionError("no section " + name);
  }
}

package io.sluice.testbed.workloads.cubin;

import static io.sluice.testbed.workloads.cubin.CubinFile.FUNCTION;
import static io.sluice.testbed.workloads.cubin.CubinFile.OBJECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.SanitizedProgram;
import io.sluice.testbed.fakes.Seeds;
import io.sluice.testbed.workloads.cubin.CubinFile.Relocation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The guest library's reader of cubins that compilers linked: variables, relocations, both widths,
 * fat binaries. The check program loads code from 0 on, a section each 4 KiB, and data from 4 GiB
 * on, or from 4 KiB on for files of 32 bits.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExtendWith(Seeds.class)
final class CubinModuleTest {
  private static final int FUZZ_ROUNDS = 10_000;
  private static final long EXIT = 0x8000000000001de7L;
  private static final long MOV32I = 0x18000000000001e2L;
  private static final long CAL = 0x5000000000000007L;
  private static final long FIELD_26 = 0xffffffffL << 26;

  private Path directory;
  private CubinReader reader;

  @BeforeAll
  void build(@TempDir Path temporary) throws Exception {
    directory = temporary;
    reader = CubinReader.build(temporary);
  }

  private SanitizedProgram.Result read(byte[] file) throws IOException, InterruptedException {
    return reader.read(Files.write(directory.resolve("file"), file));
  }

  private SanitizedProgram.Result link(CubinFile cubin) throws IOException, InterruptedException {
    return reader.link(Files.write(directory.resolve("file"), cubin.write()));
  }

  private static SanitizedProgram.Result refused(String problem) {
    return new SanitizedProgram.Result(1, "problem: " + problem + "\n");
  }

  private static String place(long address, byte[] bytes) {
    return "place %x:%s\n".formatted(address, HexFormat.of().formatHex(bytes));
  }

  private static byte[] words(long... words) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * words.length).order(ByteOrder.LITTLE_ENDIAN);
    Arrays.stream(words).forEach(bytes::putLong);
    return bytes.array();
  }

  private static long at26(long word, long value) {
    return word & ~FIELD_26 | (value & 0xffffffffL) << 26;
  }

  /** A kernel of code and a variable of 16 bytes at offset 8 of 64: symbols 1 and 2. */
  private static CubinFile withVariable(boolean wide, Long... code) {
    CubinFile cubin = new CubinFile(wide);
    int text = cubin.addCode("k", List.of(code), 0);
    int data = cubin.addBytes(".nv.global.init", new byte[64], 64);
    cubin.addSymbol("k", FUNCTION, text, 0, 8L * code.length);
    cubin.addSymbol("v", OBJECT, data, 8, 16);
    return cubin;
  }

  private static final int TEXT = 3;
  private static final int DATA = 4;
  private static final int KERNEL = 1;
  private static final int VARIABLE = 2;

  // ---- records ----

  @Test
  void read_recordsThatLinkToNothing_meanTheFilesSymbols() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    InfoRecords records = new InfoRecords();
    records.add(InfoRecords.FRAME_SIZE, KERNEL, 48);
    cubin.addInfo(".nv.info", records);

    assertThat(read(cubin.write()).text()).startsWith("kernel k code=8 ").contains(" frame=48 ");
  }

  @Test
  void read_recordsOfASymbolThatIsNotThere_areRefused() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    InfoRecords records = new InfoRecords();
    records.add(InfoRecords.FRAME_SIZE, 3, 48);
    cubin.addInfo(".nv.info", records);

    assertThat(read(cubin.write())).isEqualTo(refused("symbol 3 is not there"));
  }

  // ---- variables ----

  @Test
  void read_variables_areFoundInGlobalsAndConstants() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    int zeros = cubin.addZeros(".nv.global", 256, 256);
    int constants = cubin.addBytes(".nv.constant2", new byte[32], 4);
    cubin.addSymbol("array", OBJECT, zeros, 0, 256);
    cubin.addSymbol("weights", OBJECT, constants, 16, 16);

    assertThat(read(cubin.write()).text())
        .endsWith(
            """
            variable v at=8 bytes=16 global
            variable array at=0 bytes=256 global
            variable weights at=16 bytes=16 constant
            """);
  }

  @ParameterizedTest
  @CsvSource({"0, 65", "64, 1", "-1, 1", "8, -8", "9223372036854775807, 16"})
  void read_variableBeyondItsSection_isRefused(long at, long bytes) throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    cubin.addSymbol("w", OBJECT, DATA, at, bytes);

    assertThat(read(cubin.write())).isEqualTo(refused("variable w lies outside its section"));
  }

  @Test
  void read_tooManyOrTooLargeVariables_areRefused() throws Exception {
    CubinFile many = withVariable(true, EXIT);
    for (int n = 0; n < 1024; n++) {
      many.addSymbol("v" + n, OBJECT, DATA, 0, 4);
    }
    CubinFile large = withVariable(true, EXIT);
    large.addZeros(".nv.global", (64 << 20) - 63, 4);
    CubinFile odd = withVariable(true, EXIT);
    odd.addZeros(".nv.global", 64, 48);

    assertThat(read(many.write())).isEqualTo(refused("more than 1024 variables"));
    assertThat(read(large.write()))
        .isEqualTo(refused(".nv.global has 67108801 bytes; at most 67108864 are allowed in all"));
    assertThat(read(odd.write()))
        .isEqualTo(
            refused(".nv.global is aligned to 48 bytes; powers of two up to 4096 are allowed"));
  }

  @Test
  void read_bankTwice_isRefused() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    cubin.addBytes(".nv.constant2", new byte[32], 4);
    cubin.addBytes(".nv.constant2", new byte[32], 4);

    assertThat(read(cubin.write())).isEqualTo(refused(".nv.constant2 is there twice"));
  }

  // ---- relocations ----

  @Test
  void link_addressInTwoMoves_isSplit() throws Exception {
    CubinFile cubin = withVariable(true, at26(MOV32I, 4), at26(MOV32I, 0), EXIT);
    cubin.addRelocations(
        ".rel.text.k",
        TEXT,
        new Relocation(0, 10, VARIABLE, 0),
        new Relocation(8, 11, VARIABLE, 0));

    // The variable is at 4 GiB + 8, and 4 stands in the field.
    assertThat(link(cubin).text())
        .endsWith(
            place(0, words(at26(MOV32I, 12), at26(MOV32I, 1), EXIT))
                + place(1L << 32, new byte[64]));
  }

  @Test
  void link_addressesInData_areWhole() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    byte[] before = new byte[24];
    before[20] = 7;
    int constants = cubin.addBytes(".nv.constant14", before, 8);
    cubin.addRelocationsWithAddends(
        ".rela.nv.constant14",
        constants,
        new Relocation(0, 2, VARIABLE, 32),
        new Relocation(8, 4, VARIABLE, -8),
        new Relocation(16, 1, KERNEL, 0));

    // Constants are placed before variables, so that the variable is at 4 GiB + 4 KiB + 8.
    long variable = (1L << 32) + 0x1008;
    assertThat(link(cubin).text())
        .endsWith(
            place(0, words(EXIT))
                + place((1L << 32) + 0x1000, new byte[64])
                + place(1L << 32, words(variable + 32, variable - 8, 7L << 32)));
  }

  @Test
  void link_callsOfAnotherSection_reachIt() throws Exception {
    CubinFile cubin = withVariable(true, CAL, CAL, CAL, EXIT);
    int function = cubin.addCode("f", List.of(EXIT, EXIT), 0);
    int symbol = cubin.addSymbol("f", FUNCTION, function, 8, 8);
    cubin.addRelocationsWithAddends(
        ".rela.text.k",
        TEXT,
        new Relocation(0, 40, symbol, 0),
        new Relocation(8, 5, symbol, 0),
        new Relocation(16, 15, symbol, 16));

    // The function's section is at 4 KiB.
    assertThat(link(cubin).text())
        .contains(
            place(0, words(at26(CAL, 0x1008 - 8), at26(CAL, 0x1008), at26(CAL, 0x1018), EXIT)));
  }

  @Test
  void link_callBackwards_isNegative() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    int function = cubin.addCode("f", List.of(CAL, EXIT), 0);
    cubin.addRelocations(".rel.text.f", function, new Relocation(0, 40, KERNEL, 0));

    long offset = -0x1008 & 0xffffff;
    assertThat(link(cubin).text()).contains(place(0x1000, words(CAL | offset << 26, EXIT)));
  }

  @Test
  void link_addressThatDoesNotFit_isRefused() throws Exception {
    CubinFile cubin = withVariable(true, MOV32I, EXIT);
    cubin.addRelocations(".rel.text.k", TEXT, new Relocation(0, 5, VARIABLE, 0));

    assertThat(read(cubin.write()).status()).isZero();
    assertThat(link(cubin).text())
        .endsWith("problem: .rel.text.k: the address of v does not fit R_CUDA_ABS32_26\n");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 24, 2, '.rel.text.k: relocations of type 24 are not supported'",
    "0, 99, 2, '.rel.text.k: relocations of type 99 are not supported'",
    "8, 5, 2, '.rel.text.k: a relocation at 0x8 of 8 bytes'",
    "-8, 5, 2, '.rel.text.k: a relocation at 0xfffffffffffffff8 of 8 bytes'",
    "4, 1, 9, 'symbol 9 is not there'",
    "4, 2, 2, '.rel.text.k: a relocation at 0x4 of 8 bytes'",
    "0, 5, 3, 'it needs vprintf, which is not in the file'",
    "0, 5, 4, 'a relocation needs the address of weights, which has none'",
    "0, 5, 5, 'symbol beyond lies outside its section'",
    "0, 5, 6, 'a relocation needs the address of odd, which has none'"
  })
  void read_relocationThatCannotBe_isRefused(long offset, int type, int symbol, String problem)
      throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    int constants = cubin.addBytes(".nv.constant2", new byte[32], 4);
    cubin.addSymbol("vprintf", FUNCTION, 0, 0, 0);
    cubin.addSymbol("weights", OBJECT, constants, 0, 4);
    cubin.addSymbol("beyond", FUNCTION, TEXT, 9, 0);
    cubin.addSymbol("odd", FUNCTION, 0xfff1, 0, 0);
    cubin.addRelocations(".rel.text.k", TEXT, new Relocation(offset, type, symbol, 0));

    assertThat(read(cubin.write())).isEqualTo(refused(problem));
  }

  @Test
  void read_relocationsOfWhatIsNotLoaded_areIgnored() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    int debug = cubin.addBytes(".debug_line", new byte[8], 1);
    cubin.addRelocations(".rel.debug_line", debug, new Relocation(4000, 99, 77, 0));

    assertThat(read(cubin.write()).status()).isZero();
  }

  @Test
  void read_relocationsOfZeros_areRefused() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    int zeros = cubin.addZeros(".nv.global", 64, 4);
    cubin.addRelocations(".rel.nv.global", zeros, new Relocation(0, 2, VARIABLE, 0));

    assertThat(read(cubin.write()))
        .isEqualTo(refused(".rel.nv.global: 16 bytes of relocations of .nv.global"));
  }

  // ---- textures and surfaces ----

  private static final long TEX = 0x8000000000000006L;
  private static final long SULD = 0xd400400000000005L;
  private static final int TEXTURE_SLOT = 19;
  private static final int SAMPLER_SLOT = 20;
  private static final int SURFACE_SLOT = 21;

  private static InfoRecords slots(int... symbolsAndSlots) {
    InfoRecords records = new InfoRecords();
    for (int i = 0; i < symbolsAndSlots.length; i += 2) {
      records.add(InfoRecords.IMAGE_SLOT, symbolsAndSlots[i], symbolsAndSlots[i + 1]);
    }
    return records;
  }

  @Test
  void read_textures_areThoseOfTheKernelsRecords() throws Exception {
    CubinFile cubin = withVariable(true, EXIT);
    int texture = cubin.addImage("image", CubinFile.TEXTURE);
    int surface = cubin.addImage("sheet", CubinFile.SURFACE);
    cubin.addInfo(".nv.info.k", slots(texture, 255, surface, 7, texture, 0, texture, 0));

    assertThat(read(cubin.write()).text())
        .endsWith(
            """
            texture image
            surface sheet
            slot 255 of k: image
            slot 7 of k: sheet
            slot 0 of k: image
            """);
  }

  @Test
  void link_slotsOfInstructions_areOnesThatNobodyUses() throws Exception {
    CubinFile cubin = withVariable(true, TEX, TEX, SULD, EXIT);
    int image = cubin.addImage("image", CubinFile.TEXTURE);
    int other = cubin.addImage("other", CubinFile.TEXTURE);
    int sheet = cubin.addImage("sheet", CubinFile.SURFACE);
    cubin.addInfo(".nv.info.k", slots(image, 0));
    int function = cubin.addCode("f", List.of(TEX, EXIT), 0);
    cubin.addRelocations(
        ".rel.text.k",
        TEXT,
        new Relocation(0, TEXTURE_SLOT, image, 0),
        new Relocation(0, SAMPLER_SLOT, image, 0),
        new Relocation(8, TEXTURE_SLOT, other, 0),
        new Relocation(16, SURFACE_SLOT, sheet, 0));
    cubin.addRelocations(
        ".rel.text.f",
        function,
        new Relocation(0, TEXTURE_SLOT, image, 0),
        new Relocation(0, SAMPLER_SLOT, image, 0));

    // The kernel's own record says 0 for the image; a function finds it where all kernels have it.
    assertThat(link(cubin).text())
        .contains(
            """
            slot 0 of k: image
            slot 1 of k: other
            slot 0 of k: sheet
            slot 2 of k: image, perhaps
            """)
        .contains(place(0, words(TEX, TEX | 1L << 32, SULD, EXIT)))
        .contains(place(0x1000, words(TEX | 2L << 32 | 2L << 40, EXIT)));
  }

  @Test
  void read_slotsThatCannotBe_areRefused() throws Exception {
    assertThat(readSlots(slots(3, 256)))
        .isEqualTo(refused("kernel k: slot 256 for texture image; there are 256"));
    assertThat(readSlots(slots(5, 8)))
        .isEqualTo(refused("kernel k: slot 8 for surface sheet; there are 8"));
    assertThat(readSlots(slots(3, 1, 4, 1)))
        .isEqualTo(refused("kernel k: slot 1 has two textures"));
    assertThat(readSlots(slots(2, 1))).isEqualTo(refused("kernel k: v is no texture or surface"));
    assertThat(readSlots(slots(6, 1))).isEqualTo(refused("symbol 6 is not there"));
  }

  /** A kernel with textures 3 and 4, a surface 5, and these records. */
  private SanitizedProgram.Result readSlots(InfoRecords records)
      throws IOException, InterruptedException {
    return read(withImages(records).write());
  }

  private static CubinFile withImages(InfoRecords records) {
    CubinFile cubin = withVariable(true, TEX, EXIT);
    cubin.addImage("image", CubinFile.TEXTURE);
    cubin.addImage("other", CubinFile.TEXTURE);
    cubin.addImage("sheet", CubinFile.SURFACE);
    cubin.addInfo(".nv.info.k", records);
    return cubin;
  }

  @ParameterizedTest
  @CsvSource({
    "19, 2, 'a relocation needs the slot of v, which is no texture'",
    "19, 5, 'a relocation needs the slot of sheet, which is no texture'",
    "20, 5, 'a relocation needs the slot of sheet, which is no texture'",
    "21, 3, 'a relocation needs the slot of image, which is no surface'",
    "5, 3, 'it needs image, which is not in the file'"
  })
  void read_relocationOfAnotherKind_isRefused(int type, int symbol, String problem)
      throws Exception {
    CubinFile cubin = withImages(slots());
    cubin.addRelocations(".rel.text.k", TEXT, new Relocation(0, type, symbol, 0));

    assertThat(read(cubin.write())).isEqualTo(refused(problem));
  }

  @Test
  void read_moreSurfacesThanSlots_areRefused() throws Exception {
    CubinFile cubin = withVariable(true, SULD, EXIT);
    Relocation[] relocations = new Relocation[9];
    for (int i = 0; i < relocations.length; i++) {
      int symbol = cubin.addImage("sheet" + i, CubinFile.SURFACE);
      relocations[i] = new Relocation(0, SURFACE_SLOT, symbol, 0);
    }
    cubin.addRelocations(".rel.text.k", TEXT, relocations);

    assertThat(read(cubin.write())).isEqualTo(refused("no slot is left for surface sheet8"));
  }

  @Test
  void read_tooManyTextures_areRefused() throws Exception {
    CubinFile many = withVariable(true, EXIT);
    for (int n = 0; n < 129; n++) {
      many.addImage("t" + n, CubinFile.TEXTURE);
    }
    CubinFile twice = withVariable(true, EXIT);
    twice.addImage("t", CubinFile.TEXTURE);
    twice.addImage("t", CubinFile.SURFACE);
    CubinFile sampler = withVariable(true, EXIT);
    sampler.addImage("s", CubinFile.SAMPLER);

    assertThat(read(many.write())).isEqualTo(refused("more than 128 textures and surfaces"));
    assertThat(read(twice.write()))
        .isEqualTo(refused("surface \"t\" has no name or is there twice"));
    assertThat(read(sampler.write())).isEqualTo(refused("sampler s belongs to no texture"));
  }

  // ---- 32 bits ----

  @Test
  void link_fileOf32Bits_isReadAlike() throws Exception {
    CubinFile cubin = withVariable(false, MOV32I, EXIT);
    InfoRecords records = new InfoRecords();
    records.add(InfoRecords.FRAME_SIZE, KERNEL, 16);
    cubin.addInfo(".nv.info", records);
    cubin.addRelocationsWithAddends(".rela.text.k", TEXT, new Relocation(0, 5, VARIABLE, -4));

    assertThat(link(cubin).text())
        .startsWith("kernel k code=16 registers=63 barriers=0 shared=0 local=0 frame=16 ")
        .endsWith(
            "variable v at=8 bytes=16 global\n"
                + place(0, words(at26(MOV32I, 0x1004), EXIT))
                + place(0x1000, new byte[64]));
  }

  // ---- fat binaries ----

  @Test
  void read_fatBinary_takesTheOneForThisGpu() throws Exception {
    byte[] wide = withVariable(true, EXIT).write();
    byte[] narrow = withVariable(false, EXIT, EXIT).write();
    byte[] other = {1, 2, 3};

    assertThat(read(CubinFile.fat(List.of(30, 20, 20), List.of(other, narrow, wide))).text())
        .startsWith("kernel k code=8 ");
    assertThat(read(CubinFile.fat(List.of(21, 30), List.of(narrow, other))).text())
        .startsWith("kernel k code=16 ");
    assertThat(read(CubinFile.fat(List.of(30), List.of(other))))
        .isEqualTo(refused("fat binary: no cubin of sm_20 is in it"));
    assertThat(read(CubinFile.fat(List.of(20), List.of(other))))
        .isEqualTo(refused("fat binary: its cubin of sm_20 is compressed"));
  }

  @Test
  void read_fatBinaryThatIsCut_isRefused() throws Exception {
    byte[] file = CubinFile.fat(List.of(20), List.of(withVariable(true, EXIT).write()));

    assertThat(read(Arrays.copyOf(file, file.length - 1)))
        .isEqualTo(refused("fat binary: its entries lie outside the file"));
    assertThat(patched(file, 24, Long.MAX_VALUE))
        .isEqualTo(refused("fat binary: an entry lies outside the file"));
    assertThat(patched(file, 24, file.length))
        .isEqualTo(refused("fat binary: an entry lies outside the file"));
  }

  private SanitizedProgram.Result patched(byte[] file, int at, long value) throws Exception {
    byte[] copy = file.clone();
    ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN).putLong(at, value);
    return read(copy);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void read_damagedFiles_areNeverCaughtOut(boolean wide, RandomGenerator random) throws Exception {
    CubinFile cubin = withVariable(wide, CAL, MOV32I, TEX, EXIT);
    int image = cubin.addImage("image", CubinFile.TEXTURE);
    int sheet = cubin.addImage("sheet", CubinFile.SURFACE);
    cubin.addInfo(".nv.info.k", slots(image, 3, sheet, 2));
    int constants = cubin.addBytes(".nv.constant14", new byte[24], 8);
    cubin.addZeros(".nv.global", 4096, 4);
    cubin.addRelocations(
        ".rel.text.k",
        TEXT,
        new Relocation(0, 40, KERNEL, 0),
        new Relocation(16, TEXTURE_SLOT, image, 0));
    cubin.addRelocationsWithAddends(
        ".rela.nv.constant14", constants, new Relocation(0, wide ? 2 : 1, VARIABLE, 32));
    Path file = Files.write(directory.resolve("fuzzed"), cubin.write());

    SanitizedProgram.Result result = reader.fuzz(random.nextLong(), FUZZ_ROUNDS, file);

    assertThat(result.status()).as(result.text()).isZero();
  }
}

package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.decode.InstructionDecoder;
import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.warp.ImageBindings;
import io.sluice.gpu.sm.warp.SurfaceTarget;
import io.sluice.testbed.fakes.Seeds;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Descriptors that a hostile guest writes: they end the grid, interpreted and compiled alike. */
@ExtendWith(Seeds.class)
final class TextureFaultTest {
  private static final long FIELDS =
      ALWAYS
          | 12L << 14
          | 4L << 20
          | 63L << 26
          | (long) TextureFixture.TEXTURE_SLOT << 32
          | (long) TextureFixture.SAMPLER_SLOT << 40
          | 1L << 52
          | 1L << 46;
  private static final long TEX = 0x8000000000000006L | FIELDS;
  private static final long TLD = 0x9000000000000006L | FIELDS;
  private static final long SULD =
      0xd400000000000085L
          | ALWAYS
          | 12L << 14
          | 4L << 20
          | 1L << 46
          | 1L << 44
          | (long) TextureFixture.SURFACE_SLOT << 26;
  private static final int RANDOM_DESCRIPTORS = 60;

  static void assertFault(List<GridOutcome> outcomes, WarpError error) {
    assertThat(outcomes)
        .hasSize(2)
        .allSatisfy(outcome ->
            assertThat(outcome)
                .isInstanceOfSatisfying(
                    GridOutcome.Faulted.class,
                    fault -> assertThat(fault.error()).isEqualTo(error)));
  }

  private static TextureFixture plain(int shift) {
    return new TextureFixture(
        2,
        false,
        16,
        16,
        1,
        32,
        1,
        TextureFixture.FLOAT,
        true,
        new int[] {2, 2},
        true,
        shift,
        new int[] {2, 2, 2, 2},
        new int[4],
        new int[256]);
  }

  /** A texture with other words, or other bindings. */
  private record Changed(
      TextureFixture texture,
      UnaryOperator<int[]> header,
      UnaryOperator<int[]> sampler,
      UnaryOperator<ImageBindings> bindings)
      implements OneInstruction.Surroundings {
    @Override
    public ImageBindings images() {
      return bindings.apply(texture.images());
    }

    @Override
    public void fill(FlatMemory memory) {
      texture.fill(memory);
      int[] words = header.apply(texture.header());
      int[] others = sampler.apply(texture.sampler());
      for (int i = 0; i < words.length; i++) {
        memory.store32(TextureFixture.HEADERS + 6 * 32 + i * 4, words[i]);
        memory.store32(TextureFixture.SAMPLERS + 9 * 32 + i * 4, others[i]);
      }
    }
  }

  private static List<GridOutcome> outcomes(
      RandomGenerator random, OneInstruction.Surroundings surroundings, long word) {
    return new OneInstruction(random, surroundings).outcomes(word);
  }

  private static UnaryOperator<int[]> set(int word, int mask, int value) {
    return words -> {
      words[word] = words[word] & ~mask | value & mask;
      return words;
    };
  }

  @Test
  void tex_fixtureAsItIs_completes(RandomGenerator random) {
    for (int shift : new int[] {-1, 0}) {
      OneInstruction.Surroundings good =
          new Changed(
              plain(shift),
              UnaryOperator.identity(),
              UnaryOperator.identity(),
              UnaryOperator.identity());

      assertThat(outcomes(random, good, TEX))
          .containsExactly(new GridOutcome.Completed(), new GridOutcome.Completed());
    }
  }

  /** Each field of a header that can be wrong, for itself: word, mask, value, block shift. */
  @ParameterizedTest
  @CsvSource({
    "0, 0x0000003f, 0x00000024, 0", // a compressed format
    "0, 0x0000003f, 0x00000000, 0",
    "0, 0x000001c0, 0x00000000, 0", // no type
    "0, 0x000001c0, 0x00000080, 0", // types that differ
    "0, 0x0003ffc0, 0x00012480, 0", // normalized words
    "0, 0x001c0000, 0x00040000, 0", // a source that is none
    "0, 0x40000000, 0x40000000, 0", // packed
    "1, 0x000001ff, 0x00000100, 0", // not aligned to a GOB
    "1, 0x0000001f, 0x00000010, -1",
    "2, 0x0003c000, 0x00008000, 0", // three dimensions
    "2, 0x0003c000, 0x0000c000, 0", // a cube
    "2, 0x0003c000, 0x00000000, 0", // one dimension for an instruction of two
    "2, 0x0003c000, 0x00014000, 0", // an array
    "2, 0x00000400, 0x00000400, 0", // sRGB
    "2, 0x00002000, 0x00002000, 0", // a color key
    "2, 0x01c00000, 0x01800000, 0", // blocks too high
    "3, 0x000fffff, 0x00000000, -1", // a pitch shorter than a line
    "3, 0x000fffff, 0x00000041, -1",
    "4, 0x80000000, 0x00000000, 0", // a header of version 1
    "4, 0x40000000, 0x40000000, 0", // depth
    "4, 0x3fffffff, 0x00000000, 0",
    "4, 0x3fffffff, 0x3fffffff, 0",
    "5, 0x0000ffff, 0x00000000, 0",
    "5, 0xf0000000, 0x10000000, 0", // more than one level
  })
  void tex_headerThatIsNotKnown_isAFault(
      int word, String mask, String value, int shift, RandomGenerator random) {
    OneInstruction.Surroundings bad =
        new Changed(
            plain(shift),
            set(
                word,
                Integer.parseUnsignedInt(mask.substring(2), 16),
                Integer.parseUnsignedInt(value.substring(2), 16)),
            UnaryOperator.identity(),
            UnaryOperator.identity());

    assertFault(outcomes(random, bad, TEX), WarpError.INVALID_PARAM);
    assertFault(outcomes(random, bad, TLD), WarpError.INVALID_PARAM);
  }

  @ParameterizedTest
  @CsvSource({"0, 7, 4", "0, 56, 56", "0, 512, 512", "1, 3, 0", "1, 3, 3"})
  void tex_samplerThatIsNotKnown_isAFault(int word, int mask, int value, RandomGenerator random) {
    OneInstruction.Surroundings bad =
        new Changed(
            plain(0), UnaryOperator.identity(), set(word, mask, value), UnaryOperator.identity());

    assertFault(outcomes(random, bad, TEX), WarpError.INVALID_PARAM);
  }

  private static ImageBindings pools(
      ImageBindings b, ImageBindings.Pool headers, ImageBindings.Pool samplers) {
    return new ImageBindings(headers, samplers, b.headerOf(), b.samplerOf(), false, b.surfaces());
  }

  @Test
  void tex_entryBeyondItsPool_isAFault(RandomGenerator random) {
    UnaryOperator<ImageBindings> headers =
        b -> pools(b, new ImageBindings.Pool(b.headers().address(), 5), b.samplers());
    UnaryOperator<ImageBindings> samplers =
        b -> pools(b, b.headers(), new ImageBindings.Pool(b.samplers().address(), 8));
    UnaryOperator<ImageBindings> crooked =
        b -> pools(b, new ImageBindings.Pool(b.headers().address() + 4, 6), b.samplers());

    for (UnaryOperator<ImageBindings> bad : List.of(headers, samplers, crooked)) {
      OneInstruction.Surroundings surroundings =
          new Changed(plain(0), UnaryOperator.identity(), UnaryOperator.identity(), bad);
      assertFault(outcomes(random, surroundings, TEX), WarpError.INVALID_PARAM);
    }
  }

  @Test
  void tex_slotThatIsNotBound_isAFault(RandomGenerator random) {
    UnaryOperator<ImageBindings> none =
        b -> new ImageBindings(b.headers(), b.samplers(), Map.of(), Map.of(), false, b.surfaces());
    OneInstruction.Surroundings bad =
        new Changed(plain(0), UnaryOperator.identity(), UnaryOperator.identity(), none);

    assertFault(outcomes(random, bad, TEX), WarpError.INVALID_PARAM);
    assertFault(outcomes(random, bad, TLD), WarpError.INVALID_PARAM);
  }

  /** The sampler at the header's index: here there is none. */
  @Test
  void tex_samplerByHeader_isTheOneAtTheHeadersIndex(RandomGenerator random) {
    UnaryOperator<ImageBindings> byHeader =
        b ->
            new ImageBindings(
                b.headers(),
                new ImageBindings.Pool(b.samplers().address() + 3 * 32, 6),
                b.headerOf(),
                Map.of(),
                true,
                b.surfaces());
    OneInstruction.Surroundings linked =
        new Changed(plain(0), UnaryOperator.identity(), UnaryOperator.identity(), byHeader);

    assertThat(outcomes(random, linked, TEX))
        .containsExactly(new GridOutcome.Completed(), new GridOutcome.Completed());
  }

  /** The MMU's fault, as for any load. */
  @Test
  void tld_texelsThatAreNotMapped_isAPageFault(RandomGenerator random) {
    OneInstruction.Surroundings far =
        new Changed(
            plain(0), set(2, 0xff, 0x77), UnaryOperator.identity(), UnaryOperator.identity());

    List<GridOutcome> outcomes = outcomes(random, far, TEX);

    assertThat(outcomes.get(0)).isInstanceOf(GridOutcome.PageFault.class);
    assertThat(outcomes.get(1)).isEqualTo(outcomes.get(0));
  }

  /** Whatever the words are, both ways end alike, and neither breaks the worker. */
  @Test
  void images_randomDescriptors_endBothWaysAlike(RandomGenerator random) {
    for (int n = 0; n < RANDOM_DESCRIPTORS; n++) {
      int word = random.nextInt(8);
      int flips = random.nextInt() & random.nextInt(1 << 30) << 2;
      SurfaceTarget surface =
          new SurfaceTarget(
              TextureFixture.TEXELS + (random.nextInt(4) == 0 ? random.nextInt() : 0),
              Integer.toUnsignedLong(random.nextInt() >>> random.nextInt(32)),
              random.nextInt() >>> random.nextInt(32),
              random.nextInt(0x200) << 4 | random.nextInt(2),
              random.nextInt() >>> random.nextInt(32));
      OneInstruction.Surroundings changed =
          new Changed(
              TextureFixture.random(random),
              set(word, flips, random.nextInt()),
              set(random.nextInt(8), flips, random.nextInt()),
              b ->
                  new ImageBindings(
                      b.headers(),
                      b.samplers(),
                      b.headerOf(),
                      b.samplerOf(),
                      false,
                      List.of(surface, surface, surface)));
      for (long instruction : new long[] {TEX, TLD, SULD}) {
        List<GridOutcome> outcomes = new OneInstruction(random, changed).outcomes(instruction);
        assertThat(outcomes.get(1)).as("%s", changed).isEqualTo(outcomes.get(0));
      }
    }
  }

  /** What is not known of an instruction makes it none. */
  @ParameterizedTest
  @ValueSource(
      longs = {
        1L << 50, // the slot in a register
        1L << 53, // three dimensions, cubes
        1L << 54, // an offset
        1L << 55, 1L << 56, // a comparison
        2L << 57, // a level
        3L << 57, 6L << 57, 3L << 7, 1L << 5
      })
  void decode_textureFormThatIsNotKnown_isNoInstruction(long more) {
    assertThat(InstructionDecoder.decode(TEX).opcode()).isNotNull();
    assertThat(InstructionDecoder.decode(TEX | more).opcode()).isNull();
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 45, 3L << 47, 1L << 49, 1L << 32, 8L << 26, 7L << 5})
  void decode_surfaceFormThatIsNotKnown_isNoInstruction(long more) {
    assertThat(InstructionDecoder.decode(SULD).opcode()).isNotNull();
    assertThat(InstructionDecoder.decode(SULD | more).opcode()).isNull();
    assertThat(InstructionDecoder.decode(SULD & ~(1L << 46)).opcode()).isNull();
  }
}

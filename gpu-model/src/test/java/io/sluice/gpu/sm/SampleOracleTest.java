package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.decode.InstructionDecoder;
import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.warp.ImageBindings;
import io.sluice.gpu.sm.warp.SurfaceTarget;
import io.sluice.testbed.fakes.Seeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Samples that SUST.P stores, read back as bytes. R4 is the sample of a line, R5 the line; R6 to R9
 * are the components.
 */
@ExtendWith(Seeds.class)
final class SampleOracleTest {
  private static final long FIELDS =
      ALWAYS | 4L << 20 | 1L << 46 | (long) TextureFixture.SURFACE_SLOT << 26;
  private static final long SUST_P = 0xdc00000000000005L | FIELDS | 6L << 14;
  private static final long SULD = 0xd400000000000005L | FIELDS | 12L << 14;
  private static final long LINES = 1L << 44;
  private static final long SHIFT_X = 0x6000c00000000003L | ALWAYS | 4L << 14 | 4L << 20;
  private static final long ADD_X = 0x4800c00000000003L | ALWAYS | 4L << 14 | 4L << 20;
  private static final int WIDTH = 19;
  private static final int ZERO = 0;
  private static final int CLAMP = 1;
  private static final int TRAP = 2;
  private static final int FORMATS_IN_TABLE = 36;

  /** A color format by its number in cl90c0.h. */
  private record Format(int color, int bits, int components, int type) {
    int bytes() {
      return bits / 8 * components;
    }
  }

  /** The formats, one by one. */
  private static List<Format> formats() {
    List<Format> all = new ArrayList<>();
    int[] halves = {2, 1, 3, 4, 7};
    int[] words = {7, 3, 4};
    for (int n = 0; n < 5; n++) {
      all.add(new Format(0xc6 + n, 16, 4, halves[n]));
      all.add(new Format(0xda + n, 16, 2, halves[n]));
      all.add(new Format(0xee + n, 16, 1, halves[n]));
    }
    for (int n = 0; n < 3; n++) {
      all.add(new Format(0xc0 + n, 32, 4, words[n]));
      all.add(new Format(0xcb + n, 32, 2, words[n]));
    }
    all.add(new Format(0xe3, 32, 1, TextureFixture.SINT));
    all.add(new Format(0xe4, 32, 1, TextureFixture.UINT));
    all.add(new Format(0xe5, 32, 1, TextureFixture.FLOAT));
    for (int n = 0; n < 4; n++) {
      all.add(new Format(n == 0 ? 0xd5 : 0xd6 + n, 8, 4, halves[n]));
      all.add(new Format(0xea + n, 8, 2, halves[n]));
      all.add(new Format(0xf3 + n, 8, 1, halves[n]));
    }
    return all;
  }

  /** A surface of a format; each lane has a line of its own, or a sample of the only line. */
  private static final class Surface implements OneInstruction.Surroundings {
    private final RandomGenerator random;
    private final TextureFixture texture;
    private final int format;
    private final int from;
    private final int to;
    private int words;

    /** A surface of blocks, or of one line; x from one number to another. */
    Surface(RandomGenerator random, Format format, int height, int from, int to) {
      int[] texels = random.ints((long) WIDTH * height * format.components).toArray();
      for (int i = 0; i < texels.length; i++) {
        texels[i] >>>= 32 - format.bits;
      }
      this.random = random;
      this.format = format.color << 4;
      this.from = from;
      this.to = to;
      this.texture =
          new TextureFixture(
              2,
              false,
              WIDTH,
              height,
              1,
              format.bits,
              format.components,
              format.type,
              false,
              new int[] {2, 2},
              false,
              height == 1 ? -1 : random.nextInt(3),
              new int[] {2, 3, 4, 5},
              new int[4],
              texels);
    }

    /** The same with another word of its format. */
    Surface(RandomGenerator random, int word) {
      this.random = random;
      this.format = word;
      this.from = 0;
      this.to = WIDTH;
      this.texture = new Surface(random, formats().getFirst(), 32, from, to).texture;
    }

    @Override
    public ImageBindings images() {
      ImageBindings b = texture.images();
      SurfaceTarget t = b.surfaces().get(TextureFixture.SURFACE_SLOT);
      SurfaceTarget none = b.surfaces().getFirst();
      SurfaceTarget typed =
          new SurfaceTarget(t.address(), t.width(), t.height(), format, t.block());
      return new ImageBindings(
          b.headers(),
          b.samplers(),
          b.headerOf(),
          b.samplerOf(),
          false,
          List.of(none, none, typed));
    }

    @Override
    public void fill(FlatMemory memory) {
      texture.fill(memory);
    }

    @Override
    public int operand(OneInstruction one) {
      int lane = words / 6;
      boolean line = texture.height() == 1;
      return switch (words++ % 6) {
        case 0 -> line ? lane : random.nextInt(from, to);
        case 1 -> line ? 0 : lane;
        default -> value(one);
      };
    }

    private int value(OneInstruction one) {
      return switch (random.nextInt(5)) {
        case 0 -> one.any();
        case 1 -> Float.floatToRawIntBits(random.nextFloat() * 2.4f - 1.2f);
        case 2 -> Float.floatToRawIntBits((random.nextInt(512) - 256 + 0.5f) / 255);
        case 3 -> Float.floatToRawIntBits((random.nextInt(1 << 17) - (1 << 16)) * 1.1f);
        default -> random.nextInt() >> random.nextInt(32);
      };
    }

    /** The component of a texel before anything was stored. */
    int before(int line, int x, int component) {
      return texture.raw(0, line, x, component);
    }
  }

  /** What a component becomes. */
  private static int converted(Format format, int word) {
    boolean signed = format.type == TextureFixture.SINT || format.type == TextureFixture.SNORM;
    BigInteger one = BigInteger.ONE;
    BigInteger most = one.shiftLeft(signed ? format.bits - 1 : format.bits).subtract(one);
    BigInteger least = signed ? most.negate().subtract(one) : BigInteger.ZERO;
    return switch (format.type) {
      case TextureFixture.SINT -> BigInteger.valueOf(word).max(least).min(most).intValue();
      case TextureFixture.UINT ->
          BigInteger.valueOf(Integer.toUnsignedLong(word)).min(most).intValue();
      case TextureFixture.FLOAT -> format.bits == 32 ? word : half(word);
      default -> normalized(Float.intBitsToFloat(word), signed, most);
    };
  }

  private static int normalized(float value, boolean signed, BigInteger scale) {
    if (Float.isNaN(value)) {
      return 0;
    }
    if (Float.isInfinite(value)) {
      return value > 0 ? scale.intValue() : signed ? scale.negate().intValue() : 0;
    }
    BigDecimal least = signed ? BigDecimal.ONE.negate() : BigDecimal.ZERO;
    BigDecimal within = new BigDecimal(value).max(least).min(BigDecimal.ONE);
    return within.multiply(new BigDecimal(scale)).setScale(0, RoundingMode.HALF_UP).intValue();
  }

  /** The largest half that is not larger, by its fields; NaN and infinity are themselves. */
  private static int half(int word) {
    int sign = word >>> 16 & 0x8000;
    float value = Math.abs(Float.intBitsToFloat(word));
    if (Float.isNaN(value)) {
      return 0x7fff;
    }
    if (Float.isInfinite(value)) {
      return sign | 0x7c00;
    }
    int low = 0;
    int high = 0x7c00;
    while (high - low > 1) {
      int middle = low + high >>> 1;
      int exponent = middle >>> 10;
      int fraction = middle & 0x3ff | (exponent == 0 ? 0 : 0x400);
      if (Math.scalb((double) fraction, Math.max(exponent, 1) - 25) <= value) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return sign | low;
  }

  private static long sust(int components, int beyond) {
    return SUST_P | LINES | (1L << components) - 1 << 49 | (long) beyond << 47;
  }

  /** The program: the sample is stored, and eight of its bytes loaded at most. */
  private static long[] program(Format format, int components, int beyond, int part) {
    int size = new int[] {0, 2, 4, 5, 5}[Integer.numberOfTrailingZeros(format.bytes())];
    long shift = Integer.numberOfTrailingZeros(format.bytes());
    return new long[] {
      sust(components, beyond),
      SHIFT_X | shift << 26,
      ADD_X | (long) part * 8 << 26,
      SULD | LINES | (long) size << 5 | (long) beyond << 47
    };
  }

  /** A texel's bytes from one on, eight at most. */
  private static Result bytes(Format format, int[] components, int part, int flags) {
    BigInteger all = BigInteger.ZERO;
    for (int n = 0; n < format.components; n++) {
      BigInteger bits = BigInteger.valueOf(Integer.toUnsignedLong(components[n]));
      BigInteger mask = BigInteger.ONE.shiftLeft(format.bits).subtract(BigInteger.ONE);
      all = all.or(bits.and(mask).shiftLeft(format.bits * n));
    }
    long value = all.shiftRight(64 * part).longValue();
    return new Result((int) value, format.bytes() < 8 ? BEFORE : (int) (value >>> 32), flags);
  }

  private static int[] components(Format format, Operands in, int stored) {
    int[] words = {in.b(), in.bHigh(), in.c(), in.cHigh()};
    int[] all = new int[4];
    for (int n = 0; n < stored; n++) {
      all[n] = converted(format, words[n]);
    }
    return all;
  }

  @Test
  void formats_ofTheTest_areAllDifferent() {
    assertThat(formats().stream().map(Format::color).distinct()).hasSize(FORMATS_IN_TABLE);
  }

  @Test
  @Covers({Opcode.SUST_P, Opcode.SULD})
  void sust_allFormats_areConverted(RandomGenerator random) {
    for (Format f : formats()) {
      for (int stored : new int[] {1, 2, 4}) {
        for (int part = 0; part <= f.bytes() / 16; part++) {
          int p = part;
          new OneInstruction(random, new Surface(random, f, 29, -3, WIDTH + 4))
              .check(
                  "SUST.P " + f,
                  program(f, stored, ZERO, p),
                  in -> {
                    boolean inside = in.a() >= 0 && in.a() < WIDTH && in.aHigh() < 29;
                    return bytes(f, inside ? components(f, in, stored) : new int[4], p, in.flags());
                  });
        }
      }
    }
  }

  @Test
  @Covers({Opcode.SUST_P})
  void sust_beyondTheEdgeWithClamp_isTheClosestSample(RandomGenerator random) {
    for (Format f : formats()) {
      int last = f.bytes() / 16;
      new OneInstruction(random, new Surface(random, f, 32, -3, WIDTH + 4))
          .check(
              "SUST.P " + f,
              program(f, 4, CLAMP, 0),
              in -> {
                int part = in.a() >= WIDTH ? last : 0;
                return bytes(f, components(f, in, 4), part, in.flags());
              });
    }
  }

  @Test
  @Covers({Opcode.SUST_P})
  void sust_oneLine_isOfSamples(RandomGenerator random) {
    for (Format f : formats()) {
      new OneInstruction(random, new Surface(random, f, 1, 0, WIDTH))
          .check(
              "SUST.P " + f,
              program(f, 4, ZERO, 0),
              in -> bytes(f, in.a() < WIDTH ? components(f, in, 4) : new int[4], 0, in.flags()));
    }
  }

  /** A sample whose byte does not fit 32 bits is beyond the edge, not another one of its line. */
  @Test
  @Covers({Opcode.SUST_P, Opcode.SULD})
  void sust_sampleWhoseByteWraps_isNotStored(RandomGenerator random) {
    Format words = new Format(0xc2, 32, 4, TextureFixture.UINT);
    int wraps = 1 << 28;
    Surface surface = new Surface(random, words, 32, wraps, wraps + WIDTH);
    AtomicInteger lane = new AtomicInteger();

    new OneInstruction(random, surface)
        .check(
            "SUST.P wraps",
            program(words, 4, ZERO, 0),
            in -> {
              int line = lane.getAndIncrement();
              int x = in.a() - wraps;
              return new Result(surface.before(line, x, 0), surface.before(line, x, 1), in.flags());
            });
  }

  /** What is none of the table's: sRGB, components of other sizes or places, depth, nothing. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        0xcf0, 0xd00, 0xd10, 0xd20, 0xd60, 0xdf0, 0xe00, 0xe60, 0xe80, 0xe90, 0xf70, 0xff0, 0x400,
        0xc30, 0xce0, 0xc01, 0
      })
  void sust_formatThatIsNotKnown_isAFault(int word, RandomGenerator random) {
    List<GridOutcome> outcomes =
        new OneInstruction(random, new Surface(random, word)).outcomes(sust(4, ZERO));

    TextureFaultTest.assertFault(outcomes, WarpError.INVALID_PARAM);
  }

  @Test
  void sust_beyondTheEdgeWithTrap_isAFault(RandomGenerator random) {
    Surface wide = new Surface(random, formats().getFirst(), 32, WIDTH, WIDTH + 1);

    List<GridOutcome> outcomes = new OneInstruction(random, wide).outcomes(sust(1, TRAP));

    TextureFaultTest.assertFault(outcomes, WarpError.MEM_OUT_OF_BOUNDS);
  }

  @Test
  void sust_slotThatIsNotBound_isAFault(RandomGenerator random) {
    Surface surface = new Surface(random, formats().getFirst(), 32, 0, 1);
    for (long slot : new long[] {1, 7}) {
      long other = sust(1, ZERO) & ~(7L << 26) | slot << 26;

      TextureFaultTest.assertFault(
          new OneInstruction(random, surface).outcomes(other), WarpError.INVALID_PARAM);
    }
  }

  /** Masks that PTX does not make, a size beside a mask, and SULD with one. */
  @Test
  void decode_maskThatIsNotKnown_isNoInstruction() {
    for (long mask = 1; mask < 16; mask++) {
      boolean known = mask == 1 || mask == 3 || mask == 15;
      long word = SUST_P | mask << 49;

      assertThat(InstructionDecoder.decode(word).opcode())
          .as("mask %d", mask)
          .isEqualTo(known ? Opcode.SUST_P : null);
      assertThat(InstructionDecoder.decode(word | 4L << 5).opcode()).isNull();
      assertThat(InstructionDecoder.decode(word | 1L << 53).opcode()).isNull();
      assertThat(InstructionDecoder.decode(SULD | mask << 49).opcode()).isNull();
    }
    assertThat(InstructionDecoder.decode(SUST_P).opcode()).isEqualTo(Opcode.SUST);
  }
}

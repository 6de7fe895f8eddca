package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.warp.ImageBindings;
import io.sluice.testbed.fakes.Seeds;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Textures against the formulas of the CUDA programming guide ("Texture Fetching"), computed with
 * exact decimal fractions. Coordinates are in R4, R5 and R6, results in R12 and R13.
 */
@ExtendWith(Seeds.class)
final class TextureOracleTest {
  private static final int TEXTURES = 25;
  private static final long TEX = 0x8000000000000006L;
  private static final long TLD = 0x9000000000000006L;
  private static final long TLD4 = 0xa000000000000006L;
  private static final long TXQ = 0xc000000000000006L;
  private static final long FIELDS =
      ALWAYS
          | 12L << 14
          | 4L << 20
          | 63L << 26
          | (long) TextureFixture.TEXTURE_SLOT << 32
          | (long) TextureFixture.SAMPLER_SLOT << 40;

  /** Two components each: as many as results are looked at. */
  private static final int[] MASKS = {0b0001, 0b0010, 0b0011, 0b1100, 0b1010, 0b0101};

  /** The base level, by itself or by name; in all of a quad's lanes or not. */
  private static final long[] VARIANTS = {0, 1L << 57, 1L << 9, 0x80, 0x100, 1L << 45};

  private static long word(long opcode, TextureFixture t, int mask) {
    long kind = (t.dimensions() - 1L) << 52 | (t.array() ? 1L << 51 : 0);
    return opcode | FIELDS | kind | (long) mask << 46;
  }

  private static Result result(Operands in, int mask, int[] four) {
    int[] registers = {BEFORE, BEFORE};
    int n = 0;
    for (int c = 0; c < 4; c++) {
      if ((mask >>> c & 1) != 0) {
        registers[n++] = four[c];
      }
    }
    return new Result(registers[0], registers[1], in.flags());
  }

  // ---- the oracle ----

  private static int layer(TextureFixture t, Operands in) {
    return t.array() ? Math.min(in.a() & 0xffff, t.layers() - 1) : 0;
  }

  private static int x(TextureFixture t, Operands in) {
    return t.array() ? in.aHigh() : in.a();
  }

  private static int y(TextureFixture t, Operands in) {
    return t.array() ? in.b() : in.aHigh();
  }

  /** A coordinate in texels, exactly. */
  private static BigDecimal place(TextureFixture t, int axis, int word) {
    float value = Float.intBitsToFloat(word);
    if (Float.isNaN(value) || Float.isInfinite(value) && t.repeats(axis)) {
      return BigDecimal.ZERO;
    }
    if (Float.isInfinite(value)) {
      return new BigDecimal(value > 0 ? "1e30" : "-1e30");
    }
    int size = axis == 0 ? t.width() : t.height();
    BigDecimal exact = new BigDecimal(value);
    return t.normalized() ? exact.multiply(BigDecimal.valueOf(size)) : exact;
  }

  private static BigInteger floor(BigDecimal value) {
    return value.setScale(0, RoundingMode.FLOOR).toBigInteger();
  }

  /** The texel's number along an axis, or -1 for the border. */
  private static int index(TextureFixture t, int axis, BigInteger i) {
    BigInteger size = BigInteger.valueOf(axis == 0 ? t.width() : t.height());
    BigInteger last = size.subtract(BigInteger.ONE);
    int mode = t.modes()[axis];
    if (!t.normalized() && mode < 2) {
      mode = 2;
    }
    return switch (mode) {
      case 0 -> i.mod(size).intValue();
      case 1 -> {
        BigInteger there = i.mod(size.shiftLeft(1));
        yield there.compareTo(last) > 0
            ? size.shiftLeft(1).subtract(BigInteger.ONE).subtract(there).intValue()
            : there.intValue();
      }
      case 2 -> i.max(BigInteger.ZERO).min(last).intValue();
      default -> i.signum() < 0 || i.compareTo(last) > 0 ? -1 : i.intValue();
    };
  }

  /** The four components of a texel, as words. */
  private static int[] texel(TextureFixture t, int layer, BigInteger i, BigInteger j) {
    int x = index(t, 0, i);
    int y = t.dimensions() == 1 ? 0 : index(t, 1, j);
    int[] words = new int[4];
    for (int c = 0; c < t.components(); c++) {
      words[c] = x < 0 || y < 0 ? t.border()[c] : convert(t, t.raw(layer, y, x, c));
    }
    return words;
  }

  private static int convert(TextureFixture t, int raw) {
    long unsigned = raw & (1L << t.bits()) - 1;
    long half = 1L << t.bits() - 1;
    long signed = unsigned >= half ? unsigned - 2 * half : unsigned;
    return switch (t.type()) {
      case TextureFixture.SNORM ->
          Float.floatToRawIntBits(signed == -half ? -1 : fraction(signed, half - 1));
      case TextureFixture.UNORM -> Float.floatToRawIntBits(fraction(unsigned, 2 * half - 1));
      case TextureFixture.SINT -> (int) signed;
      case TextureFixture.UINT -> (int) unsigned;
      default -> t.bits() == 16 ? half((int) unsigned) : (int) unsigned;
    };
  }

  private static float fraction(long number, long of) {
    BigDecimal exact = BigDecimal.valueOf(number);
    return exact.divide(BigDecimal.valueOf(of), new MathContext(60)).floatValue();
  }

  /** A half, by its definition. */
  private static int half(int bits) {
    int exponent = bits >>> 10 & 0x1f;
    int fraction = bits & 0x3ff;
    double value;
    if (exponent == 0x1f) {
      value = fraction != 0 ? Double.NaN : Double.POSITIVE_INFINITY;
    } else if (exponent == 0) {
      value = fraction * 0x1p-24;
    } else {
      value = (1024 + fraction) * Math.scalb(1.0, exponent - 25);
    }
    double signed = bits >>> 15 != 0 ? -value : value;
    return Double.isNaN(value) ? 0x7fffffff : Float.floatToRawIntBits((float) signed);
  }

  private static int[] sources(TextureFixture t, int[] words) {
    int[] four = new int[4];
    for (int c = 0; c < 4; c++) {
      int source = t.sources()[c];
      four[c] = source == 0 ? 0 : source == 6 ? 1 : source == 7 ? 0x3f800000 : words[source - 2];
    }
    return four;
  }

  /** What tex1D and tex2D give. */
  private static int[] sampled(TextureFixture t, Operands in) {
    BigDecimal x = place(t, 0, x(t, in));
    BigDecimal y = t.dimensions() == 1 ? BigDecimal.ZERO : place(t, 1, y(t, in));
    int layer = layer(t, in);
    if (!t.linear()) {
      return sources(t, texel(t, layer, floor(x), floor(y)));
    }
    BigInteger fx = inFractions(x);
    BigInteger fy = t.dimensions() == 1 ? BigInteger.ZERO : inFractions(y);
    int alpha = fx.intValue() & 0xff;
    int beta = fy.intValue() & 0xff;
    BigDecimal[] sums = new BigDecimal[4];
    Arrays.fill(sums, BigDecimal.ZERO);
    for (int n = 0; n < 4; n++) {
      int weight = ((n & 1) == 0 ? 256 - alpha : alpha) * ((n & 2) == 0 ? 256 - beta : beta);
      if (weight == 0) {
        continue;
      }
      BigInteger i = fx.shiftRight(8).add(BigInteger.valueOf(n & 1));
      BigInteger j = fy.shiftRight(8).add(BigInteger.valueOf(n >> 1));
      int[] words = texel(t, layer, i, j);
      for (int c = 0; c < 4; c++) {
        BigDecimal value = new BigDecimal(Float.intBitsToFloat(words[c]));
        sums[c] = sums[c].add(value.multiply(BigDecimal.valueOf(weight)));
      }
    }
    int[] words = new int[4];
    for (int c = 0; c < 4; c++) {
      BigDecimal mean = sums[c].divide(BigDecimal.valueOf(65536));
      words[c] = Float.floatToRawIntBits(mean.floatValue());
    }
    return sources(t, words);
  }

  /** A place from the middle of the first texel on, in 256ths. */
  private static BigInteger inFractions(BigDecimal place) {
    BigDecimal from = place.subtract(new BigDecimal("0.5")).multiply(BigDecimal.valueOf(256));
    return floor(from.add(new BigDecimal("0.5")));
  }

  // ---- the tests ----

  /** A texture whose coordinates are mostly on it or close to it. */
  private static OneInstruction one(RandomGenerator random, TextureFixture t) {
    return new OneInstruction(random, new Near(random, t));
  }

  private record Near(RandomGenerator random, TextureFixture texture)
      implements OneInstruction.Surroundings {
    @Override
    public ImageBindings images() {
      return texture.images();
    }

    @Override
    public void fill(FlatMemory memory) {
      texture.fill(memory);
    }

    @Override
    public int operand(OneInstruction one) {
      float size = texture.normalized() ? 1 : 24;
      return switch (random.nextInt(4)) {
        case 0 -> one.any();
        case 1 -> random.nextInt(48) - 4;
        default -> Float.floatToRawIntBits((random.nextFloat() * 5 - 2) * size);
      };
    }
  }

  @Test
  @Covers({Opcode.TEX})
  void tex_manyTextures_areSampledByTheGuidesFormulas(RandomGenerator random) {
    for (int n = 0; n < 4 * TEXTURES; n++) {
      TextureFixture t = TextureFixture.random(random);
      int mask = MASKS[random.nextInt(MASKS.length)];
      long variant = VARIANTS[random.nextInt(VARIANTS.length)];
      one(random, t)
          .check(
              "TEX " + t,
              new long[] {word(TEX, t, mask) | variant},
              in -> result(in, mask, sampled(t, in)));
    }
  }

  @Test
  @Covers({Opcode.TLD})
  void tld_manyTextures_givesTheTexelOrZero(RandomGenerator random) {
    for (int n = 0; n < TEXTURES; n++) {
      TextureFixture t = TextureFixture.random(random);
      int mask = MASKS[random.nextInt(MASKS.length)];
      one(random, t)
          .check(
              "TLD " + t,
              new long[] {word(TLD, t, mask)},
              in -> result(in, mask, sources(t, fetched(t, in))));
    }
  }

  private static int[] fetched(TextureFixture t, Operands in) {
    int x = x(t, in);
    int y = t.dimensions() == 1 ? 0 : y(t, in);
    int[] words = new int[4];
    boolean inside = x >= 0 && x < t.width() && y >= 0 && y < t.height();
    for (int c = 0; inside && c < t.components(); c++) {
      words[c] = convert(t, t.raw(layer(t, in), y, x, c));
    }
    return words;
  }

  /** Of the four texels that would be filtered, from below on the left against the clock. */
  @Test
  @Covers({Opcode.TLD4})
  void tld4_manyTextures_givesAComponentOfFourTexels(RandomGenerator random) {
    for (int n = 0; n < TEXTURES; n++) {
      TextureFixture t = TextureFixture.random(random);
      if (t.dimensions() == 1) {
        continue;
      }
      int mask = MASKS[random.nextInt(MASKS.length)];
      int component = random.nextInt(4);
      one(random, t)
          .check(
              "TLD4 " + t,
              new long[] {word(TLD4, t, mask) | (long) component << 5},
              in -> result(in, mask, gathered(t, in, component)));
    }
  }

  private static int[] gathered(TextureFixture t, Operands in, int component) {
    BigInteger i = inFractions(place(t, 0, x(t, in))).shiftRight(8);
    BigInteger j = inFractions(place(t, 1, y(t, in))).shiftRight(8);
    BigInteger right = i.add(BigInteger.ONE);
    BigInteger below = j.add(BigInteger.ONE);
    int layer = layer(t, in);
    return new int[] {
      sources(t, texel(t, layer, i, below))[component],
      sources(t, texel(t, layer, right, below))[component],
      sources(t, texel(t, layer, right, j))[component],
      sources(t, texel(t, layer, i, j))[component]
    };
  }

  @Test
  @Covers({Opcode.TXQ})
  void txq_manyTextures_givesItsDimensions(RandomGenerator random) {
    for (int n = 0; n < TEXTURES; n++) {
      TextureFixture t = TextureFixture.random(random);
      int mask = MASKS[random.nextInt(MASKS.length)];
      int[] four = {t.width(), t.height(), t.layers(), 1};
      one(random, t)
          .check(
              "TXQ " + t,
              new long[] {TXQ | FIELDS | (long) mask << 46},
              in -> result(in, mask, four));
    }
  }

  @Test
  void oracle_aTexelBetweenTwo_isTheirMean() {
    // A check of the oracle itself: halfway between texels of 1 and 3 there is 2.
    int[] ends = {Float.floatToRawIntBits(1), Float.floatToRawIntBits(3)};
    TextureFixture t =
        new TextureFixture(
            1,
            false,
            2,
            1,
            1,
            32,
            1,
            TextureFixture.FLOAT,
            false,
            new int[] {2, 2},
            true,
            -1,
            new int[] {2, 3, 4, 5},
            new int[4],
            ends);
    Operands in = new Operands(Float.floatToRawIntBits(1), 0, 0, 0, 0, 0, 0);

    assertThat(Float.intBitsToFloat(sampled(t, in)[0])).isEqualTo(2);
  }
}

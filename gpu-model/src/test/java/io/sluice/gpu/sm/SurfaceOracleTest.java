package io.sluice.gpu.sm;

import static io.sluice.gpu.sm.OneInstruction.ALWAYS;
import static io.sluice.gpu.sm.OneInstruction.BEFORE;

import io.sluice.gpu.sm.OneInstruction.Operands;
import io.sluice.gpu.sm.OneInstruction.Result;
import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.isa.Opcode;
import io.sluice.gpu.sm.warp.ImageBindings;
import io.sluice.testbed.fakes.Seeds;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Surfaces against the bytes of their texels. R4 is the byte of a line, R5 the line. */
@ExtendWith(Seeds.class)
final class SurfaceOracleTest {
  private static final int SURFACES = 12;
  private static final long SULD = 0xd400000000000005L;
  private static final long SUST = 0xdc00000000000005L;
  private static final long FIELDS =
      ALWAYS | 4L << 20 | 1L << 46 | (long) TextureFixture.SURFACE_SLOT << 26;
  private static final long LOADED = 12L << 14;
  private static final long STORED = 8L << 14;
  private static final int ZERO = 0;
  private static final int CLAMP = 1;
  private static final int TRAP = 2;
  private static final int SIZES = 7;

  private static long word(long opcode, int size, int dimensions, int beyond) {
    return opcode | FIELDS | (long) size << 5 | (dimensions - 1L) << 44 | (long) beyond << 47;
  }

  private static int bytes(int size) {
    return new int[] {1, 1, 2, 2, 4, 8, 16}[size];
  }

  /** A texture as a surface, with places that are aligned. */
  private record Places(RandomGenerator random, TextureFixture texture, int alignment)
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
      return random.nextInt(8) == 0
          ? random.nextInt() & -alignment
          : (random.nextInt(50) - 3) * alignment;
    }
  }

  @Test
  @Covers({Opcode.SULD})
  void suld_allSizes_givesTheBytesOfTexels(RandomGenerator random) {
    for (int n = 0; n < SURFACES * SIZES; n++) {
      TextureFixture t = TextureFixture.random(random);
      int size = n % SIZES;
      int beyond = random.nextInt(2);
      int dimensions = 1 + random.nextInt(2);
      if (t.width() * t.texelBytes() < bytes(size)) {
        continue;
      }
      new OneInstruction(random, new Places(random, t, bytes(size)))
          .check(
              "SULD " + t,
              new long[] {word(SULD, size, dimensions, beyond) | LOADED},
              in -> loaded(t, in, size, dimensions, beyond));
    }
  }

  private static Result loaded(
      TextureFixture t, Operands in, int size, int dimensions, int beyond) {
    int line = t.width() * t.texelBytes();
    int lines = t.shift() < 0 ? 1 : t.height();
    int x = in.a();
    int y = dimensions == 1 ? 0 : in.aHigh();
    boolean inside = x >= 0 && (long) x + bytes(size) <= line && y >= 0 && y < lines;
    if (!inside && beyond == CLAMP) {
      x = Math.max(0, Math.min(x, line / bytes(size) * bytes(size) - bytes(size)));
      y = Math.max(0, Math.min(y, lines - 1));
    }
    long value = 0;
    for (int b = Math.min(bytes(size), 8) - 1; b >= 0; b--) {
      value = value << 8 | (inside || beyond == CLAMP ? byteAt(t, y, x + b) : 0);
    }
    int low =
        switch (size) {
          case 1 -> (byte) value;
          case 3 -> (short) value;
          default -> (int) value;
        };
    return new Result(low, size < 5 ? BEFORE : (int) (value >>> 32), in.flags());
  }

  private static int byteAt(TextureFixture t, int y, int x) {
    int componentBytes = t.bits() / 8;
    int texel = x / t.texelBytes();
    int component = x % t.texelBytes() / componentBytes;
    return t.raw(0, y, texel, component) >>> 8 * (x % componentBytes) & 0xff;
  }

  /** Each lane has a place of its own; every fifth one is beyond the edge. */
  private static final class OwnPlaces implements OneInstruction.Surroundings {
    private final TextureFixture texture;
    private int words;

    OwnPlaces(TextureFixture texture) {
      this.texture = texture;
    }

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
      int lane = words / 6;
      return switch (words++ % 6) {
        case 0 -> lane % 5 == 0 ? 640 + 16 * lane : 16 * lane;
        case 1 -> lane % 24;
        default -> one.any();
      };
    }
  }

  private static TextureFixture large(RandomGenerator random, int shift) {
    int[] texels = random.ints(40 * 24 * 4).toArray();
    return new TextureFixture(
        2,
        false,
        40,
        24,
        1,
        32,
        4,
        TextureFixture.UINT,
        false,
        new int[] {2, 2},
        false,
        shift,
        new int[] {2, 3, 4, 5},
        new int[4],
        texels);
  }

  @Test
  @Covers({Opcode.SUST, Opcode.SULD})
  void sust_allSizes_isLoadedAgain(RandomGenerator random) {
    for (int size = 0; size < SIZES; size++) {
      int s = size;
      new OneInstruction(random, new OwnPlaces(large(random, size % 3)))
          .check(
              "SUST",
              new long[] {word(SUST, size, 2, ZERO) | STORED, word(SULD, size, 2, ZERO) | LOADED},
              in -> stored(in, s));
    }
  }

  private static Result stored(Operands in, int size) {
    boolean inside = in.a() < 640;
    int low =
        switch (size) {
          case 0 -> in.c() & 0xff;
          case 1 -> (byte) in.c();
          case 2 -> in.c() & 0xffff;
          case 3 -> (short) in.c();
          default -> in.c();
        };
    int high = size < 5 ? BEFORE : inside ? in.cHigh() : 0;
    return new Result(inside ? low : 0, high, in.flags());
  }

  @Test
  void suld_beyondTheEdgeWithTrap_isAFault(RandomGenerator random) {
    List<GridOutcome> outcomes =
        new OneInstruction(random, new OwnPlaces(large(random, 0)))
            .outcomes(word(SULD, 4, 2, TRAP) | LOADED);

    TextureFaultTest.assertFault(outcomes, WarpError.MEM_OUT_OF_BOUNDS);
  }

  @Test
  void suld_placeThatIsNotAligned_isAFault(RandomGenerator random) {
    Places odd = new Places(random, large(random, 0), 1);
    List<GridOutcome> outcomes =
        new OneInstruction(random, odd).outcomes(word(SULD, 6, 2, ZERO) | LOADED);

    TextureFaultTest.assertFault(outcomes, WarpError.UNALIGNED);
  }

  @Test
  void suld_slotThatIsNotBound_isAFault(RandomGenerator random) {
    long other = word(SULD, 4, 2, ZERO) & ~(7L << 26) | 1L << 26 | LOADED;

    List<GridOutcome> outcomes =
        new OneInstruction(random, new OwnPlaces(large(random, 0))).outcomes(other);

    TextureFaultTest.assertFault(outcomes, WarpError.INVALID_PARAM);
  }
}

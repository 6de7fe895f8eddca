package io.sluice.gpu.sm.texture;

import io.sluice.gpu.sm.fault.WarpError;
import io.sluice.gpu.sm.fault.WarpFault;
import io.sluice.gpu.sm.isa.AccessSize;
import io.sluice.gpu.sm.isa.Instruction;
import io.sluice.gpu.sm.isa.SurfaceForm;
import io.sluice.gpu.sm.memory.GlobalMemory;
import io.sluice.gpu.sm.memory.LaneMemory;
import io.sluice.gpu.sm.warp.Grid;
import io.sluice.gpu.sm.warp.ImageBindings;
import io.sluice.gpu.sm.warp.SurfaceTarget;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of bound surfaces, as one worker of a grid loads and stores them: SULD.B and SUST.B; and
 * samples of them: SUST.P. An access of bytes must be aligned to its size, and so is within one
 * line of the image.
 */
public final class SurfaceUnit {
  /** The address of what is beyond the edge, which reads as zero. */
  public static final long NOWHERE = -1;

  private static final long LOW_WORD = 0xffff_ffffL;

  private final List<SurfaceTarget> targets;
  private final GlobalMemory memory;
  private final @Nullable Image[] images = new Image[ImageBindings.SURFACE_SLOTS];
  private final @Nullable SampleFormat[] formats = new SampleFormat[ImageBindings.SURFACE_SLOTS];

  public SurfaceUnit(Grid grid, GlobalMemory memory) {
    this.targets = grid.images().surfaces();
    this.memory = memory;
  }

  /**
   * Finds what a lane accesses.
   *
   * @param word the instruction
   * @param x the byte of a line, or its sample
   * @param second the line, if the instruction has two coordinates
   * @return a GPU address, or {@link #NOWHERE}
   */
  public long locate(long word, int x, int second) {
    int slot = SurfaceForm.slot(word);
    Image image = image(slot);
    if (SurfaceForm.isFormatted(word)) {
      int bytes = samples(slot).texel().bytes();
      return locate(word, image, (long) x * bytes, second, bytes);
    }
    int bytes = AccessSize.bytes(Instruction.bits(word, 7, 5));
    LaneMemory.align(Integer.toUnsignedLong(x), bytes);
    return locate(word, image, x, second, bytes);
  }

  private static long locate(long word, Image image, long offset, int second, int bytes) {
    int y = SurfaceForm.dimensions(word) == 1 ? 0 : second;
    boolean inside =
        offset >= 0
            && offset + bytes <= image.widthBytes()
            && Integer.compareUnsigned(y, image.height()) < 0;
    if (inside) {
      return image.addressOf(0, y, offset);
    }
    return switch (SurfaceForm.beyond(word)) {
      case SurfaceForm.ZERO -> NOWHERE;
      case SurfaceForm.CLAMP -> clamped(image, offset, y, bytes);
      default -> throw new WarpFault(WarpError.MEM_OUT_OF_BOUNDS, offset & LOW_WORD);
    };
  }

  private static long clamped(Image image, long offset, int y, int bytes) {
    long last = image.widthBytes() / bytes * bytes - bytes;
    if (last < 0) {
      throw ImagePools.fault();
    }
    return image.addressOf(0, Math.clamp(y, 0, image.height() - 1), Math.clamp(offset, 0L, last));
  }

  /**
   * Loads a word, or less if the access is smaller.
   *
   * @param found what {@link #locate} gave
   * @param offset which byte of the access it begins with
   */
  public int load(long word, long found, int offset) {
    if (found == NOWHERE) {
      return 0;
    }
    long address = found + offset;
    return switch (Instruction.bits(word, 7, 5)) {
      case AccessSize.U8 -> memory.load8(GlobalMemory.NO_SITE, address);
      case AccessSize.S8 -> (byte) memory.load8(GlobalMemory.NO_SITE, address);
      case AccessSize.U16 -> memory.load16(GlobalMemory.NO_SITE, address);
      case AccessSize.S16 -> (short) memory.load16(GlobalMemory.NO_SITE, address);
      default -> memory.load32(GlobalMemory.NO_SITE, address);
    };
  }

  /** Stores a word, or less if the access is smaller. */
  public void store(long word, long found, int offset, int value) {
    if (found == NOWHERE) {
      return;
    }
    long address = found + offset;
    switch (AccessSize.bytes(Instruction.bits(word, 7, 5))) {
      case 1 -> memory.store8(GlobalMemory.NO_SITE, address, value);
      case 2 -> memory.store16(GlobalMemory.NO_SITE, address, value);
      default -> memory.store32(GlobalMemory.NO_SITE, address, value);
    }
  }

  /**
   * Stores a component of a sample, converted to the surface's format. One that a sample has not is
   * left out.
   *
   * @param found what {@link #locate} gave
   * @param component 0 to 3: R, G, B, A
   * @param value a float or an integer, as the format has it
   */
  public void storeComponent(long word, long found, int component, int value) {
    SampleFormat samples = samples(SurfaceForm.slot(word));
    TexelFormat texel = samples.texel();
    if (found == NOWHERE || component >= texel.components()) {
      return;
    }
    texel.write(memory, found, component, samples.type().raw(value, texel.bits()));
  }

  private SampleFormat samples(int slot) {
    SampleFormat known = formats[slot];
    if (known == null) {
      known = SampleFormat.of(targets.get(slot).format()).orElseThrow(ImagePools::fault);
      formats[slot] = known;
    }
    return known;
  }

  private Image image(int slot) {
    Image known = images[slot];
    if (known == null) {
      if (slot >= targets.size()) {
        throw ImagePools.fault();
      }
      known = SurfaceFormat.image(targets.get(slot)).orElseThrow(ImagePools::fault);
      images[slot] = known;
    }
    return known;
  }
}

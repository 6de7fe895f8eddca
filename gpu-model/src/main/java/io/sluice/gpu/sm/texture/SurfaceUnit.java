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
 * Bytes of bound surfaces, as one worker of a grid loads and stores them: SULD.B and SUST.B. An
 * access must be aligned to its size, and so is within one line of the image.
 */
public final class SurfaceUnit {
  /** The address of what is beyond the edge, which reads as zero. */
  public static final long NOWHERE = -1;

  private final List<SurfaceTarget> targets;
  private final GlobalMemory memory;
  private final @Nullable Image[] images = new Image[ImageBindings.SURFACE_SLOTS];

  public SurfaceUnit(Grid grid, GlobalMemory memory) {
    this.targets = grid.images().surfaces();
    this.memory = memory;
  }

  /**
   * Finds what a lane accesses.
   *
   * @param word the instruction
   * @param x the byte of a line
   * @param second the line, if the instruction has two coordinates
   * @return a GPU address, or {@link #NOWHERE}
   */
  public long locate(long word, int x, int second) {
    Image image = image(SurfaceForm.slot(word));
    int y = SurfaceForm.dimensions(word) == 1 ? 0 : second;
    int bytes = AccessSize.bytes(Instruction.bits(word, 7, 5));
    LaneMemory.align(Integer.toUnsignedLong(x), bytes);
    boolean inside =
        Integer.toUnsignedLong(x) + bytes <= image.widthBytes()
            && Integer.compareUnsigned(y, image.height()) < 0;
    if (inside) {
      return image.addressOf(0, y, x);
    }
    return switch (SurfaceForm.beyond(word)) {
      case SurfaceForm.ZERO -> NOWHERE;
      case SurfaceForm.CLAMP -> clamped(image, x, y, bytes);
      default -> throw new WarpFault(WarpError.MEM_OUT_OF_BOUNDS, Integer.toUnsignedLong(x));
    };
  }

  private static long clamped(Image image, int x, int y, int bytes) {
    long last = image.widthBytes() / bytes * bytes - bytes;
    if (last < 0) {
      throw ImagePools.fault();
    }
    return image.addressOf(0, Math.clamp(y, 0, image.height() - 1), Math.clamp((long) x, 0L, last));
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

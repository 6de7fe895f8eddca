package io.sluice.channel.nvidia.submit;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemorySegment;

/**
 * A launch of a one-dimensional grid as Hopper's compute class takes it: QMD version 4.0, 384 bytes
 * at a multiple of 256. Bit numbers: NVIDIA's clcbc0qmd.h.
 */
public final class Qmd {
  static final int BYTES = 384;

  /** Where the shared and the local window begin: addresses nothing else is at. */
  static final long SHARED_WINDOW = 0x7294_0000_0000L;

  static final long LOCAL_WINDOW = 0x7293_0000_0000L;

  private static final int MIN_REGISTERS = 16;

  private final int[] words = new int[BYTES / Integer.BYTES];

  /**
   * @param code address of the kernel
   * @param constants address of constant bank 0
   */
  Qmd(HopperKernel kernel, long code, long constants, int grid, int block) {
    set(21, 16, 0x3f); // group
    set(25, 23, 2); // type: grid
    set(416, 416, 1); // constant bank 0 is valid
    set(419, 419, 1); // and not from the cache
    set(543, 536, 0x90); // SASS version
    set(568, 568, 1);
    set(569, 569, 1);
    set(583, 580, 4); // major version
    set(601, 584, 0x400); // shared memory
    set(607, 602, 0x3f); // caches are invalidated
    set(613, 608, 3); // configuration of shared memory: least,
    set(619, 614, 0x3a); // most,
    set(625, 620, 3); // wanted
    set(1055, 1024, grid);
    set(1071, 1056, 1);
    set(1103, 1088, 1);
    set(1137, 1136, 1); // what was written is visible when it ends
    set(1167, 1152, block);
    set(1183, 1168, 1);
    set(1199, 1184, 1);
    set(1208, 1200, Math.max(kernel.registers(), MIN_REGISTERS));
    set(1215, 1211, 1); // barriers
    set(1247, 1216, code);
    set(1272, 1248, code >>> 32);
    set(1567, 1536, constants >>> 6);
    set(1586, 1568, constants >>> 38);
    set(1599, 1587, (kernel.parameterBase() + kernel.parameterBytes() + 15) >> 4);
  }

  private void set(int high, int low, long value) {
    for (int bit = low; bit <= high; bit++) {
      int mask = 1 << (bit % 32);
      boolean one = (value >>> (bit - low) & 1) != 0;
      words[bit / 32] = one ? words[bit / 32] | mask : words[bit / 32] & ~mask;
    }
  }

  void store(MemorySegment memory, long offset) {
    for (int i = 0; i < words.length; i++) {
      memory.set(Layouts.U32, offset + 4L * i, words[i]);
    }
  }

  /** Fills constant bank 0 up to the parameters. */
  static void storeConstants(MemorySegment memory, long offset, int grid, int block) {
    int[] head = {
      block,
      1,
      1,
      grid,
      1,
      1,
      0,
      (int) (SHARED_WINDOW >>> 32),
      0,
      (int) (LOCAL_WINDOW >>> 32),
      0xfffdc0,
      0
    };
    for (int i = 0; i < head.length; i++) {
      memory.set(Layouts.U32, offset + 4L * i, head[i]);
    }
  }
}

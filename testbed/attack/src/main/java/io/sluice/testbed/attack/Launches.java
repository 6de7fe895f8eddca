package io.sluice.testbed.attack;

import java.util.Arrays;

/** Launches of programs with any sizes. */
final class Launches {
  static final long EXIT = 0x8000_0000_0000_1de7L;
  static final long BRANCH_TO_ITSELF = 0x4003_ffff_e000_1de7L;
  private static final int COMPUTE = 1;

  private Launches() {}

  /** The parts of a launch; nothing of it is checked here. */
  record Launch(long program, int grid, int block, int registers, int stack, int local) {}

  static int[] bind() {
    return RawChannel.method(COMPUTE, 0, 0x90c0);
  }

  static int[] words(Launch launch) {
    return all(
        RawChannel.method(COMPUTE, 0x790, 0, 0, 0, 0, 0),
        RawChannel.method(COMPUTE, 0x77c, 0x0200_0000),
        RawChannel.method(COMPUTE, 0x204, launch.local(), 0, launch.stack()),
        RawChannel.method(COMPUTE, 0x214, 0x0100_0000),
        RawChannel.method(COMPUTE, 0x24c, 0),
        RawChannel.method(COMPUTE, 0x1608, (int) (launch.program() >>> 32), (int) launch.program()),
        RawChannel.method(COMPUTE, 0x3b4, 0),
        RawChannel.method(COMPUTE, 0x238, 1 << 16 | launch.grid(), 1),
        RawChannel.method(COMPUTE, 0x3ac, 1 << 16 | launch.block(), 1),
        RawChannel.method(COMPUTE, 0x250, launch.block()),
        RawChannel.method(COMPUTE, 0x2c0, launch.registers()),
        RawChannel.method(COMPUTE, 0x254, 0),
        RawChannel.method(COMPUTE, 0x780, 0),
        RawChannel.method(COMPUTE, 0x368, 0x1000));
  }

  /** The words of all parts, one after the other. */
  static int[] all(int[]... parts) {
    return Arrays.stream(parts).flatMapToInt(Arrays::stream).toArray();
  }
}

package io.sluice.gpu.sm.warp;

/** The special registers that S2R reads, by the index in the instruction. */
public final class SpecialRegister {
  private SpecialRegister() {}

  /** A value; registers without a meaning for a compute program read as 0. */
  public static int read(int index, Block block, Warp warp, int lane, long clock) {
    Grid grid = block.grid();
    int tidX = warp.threadX[lane];
    int tidY = warp.threadY[lane];
    int tidZ = warp.threadZ[lane];
    return switch (index) {
      case 0x00 -> lane;
      case 0x02 -> grid.warps() << 8;
      case 0x03 -> warp.index << 8;
      case 0x20 -> tidX | tidY << 16 | tidZ << 26;
      case 0x21 -> tidX;
      case 0x22 -> tidY;
      case 0x23 -> tidZ;
      case 0x24 -> grid.launchArgument();
      case 0x25 -> block.x();
      case 0x26 -> block.y();
      case 0x27 -> block.z();
      case 0x28 -> grid.blockX() | grid.blockY() << 16 | grid.blockZ() << 26;
      case 0x29 -> grid.blockX();
      case 0x2a -> grid.blockY();
      case 0x2b -> grid.blockZ();
      case 0x2c -> grid.gridId();
      case 0x2d -> grid.gridX();
      case 0x2e -> grid.gridY();
      case 0x2f -> grid.gridZ();
      case 0x30 -> (int) grid.sharedWindow();
      case 0x31, 0x35 -> (int) Grid.WINDOW_BYTES;
      case 0x32 -> grid.sharedBytes();
      case 0x34 -> (int) grid.localWindow();
      case 0x36 -> grid.local().positiveBytes();
      case 0x37 -> (int) Grid.WINDOW_BYTES - grid.local().negativeBytes();
      case 0x38 -> 1 << lane;
      case 0x39 -> (1 << lane) - 1;
      case 0x3a -> (2 << lane) - 1;
      case 0x3b -> -(2 << lane);
      case 0x3c -> -(1 << lane);
      case 0x50 -> (int) clock;
      case 0x51 -> (int) (clock >>> 32);
      default -> 0;
    };
  }
}

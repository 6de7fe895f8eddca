package io.sluice.gpu.engine;

/** PGRAPH's DATA_ERROR codes (register 0x400110), as far as the model raises them. */
public final class DataError {
  /** A method's data is out of range. */
  public static final int INVALID_VALUE = 0x04;

  /** A method's data names nothing. */
  public static final int INVALID_ENUM = 0x05;

  /** An address is not aligned. */
  public static final int ALIGNMENT = 0x0b;

  /** There is no room for the warps of a block: the open's grids have all they may have. */
  public static final int NOT_ENOUGH_WARPS = 0x2a;

  /** There is no room for the call stacks of a block: the open's grids have all they may have. */
  public static final int NOT_ENOUGH_STACK = 0x2d;

  /** The number of threads of a block is not what its dimensions make. */
  public static final int BLOCK_SIZE_MISMATCH = 0x2b;

  private DataError() {}
}

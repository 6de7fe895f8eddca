package io.sluice.abi.rm;

/** Engine types. Source: ctrl2080gpu.h, NV2080_ENGINE_TYPE_*. */
public final class RmEngine {
  /** Graphics and compute. */
  public static final int GRAPHICS = 1;

  /** The first copy engine; those after it follow. */
  public static final int COPY0 = 9;

  /** Copy engines at most. */
  public static final int MAX_COPY = 10;

  private RmEngine() {}

  /** Whether it is a copy engine. */
  public static boolean isCopy(int engineType) {
    return engineType >= COPY0 && engineType < COPY0 + MAX_COPY;
  }
}

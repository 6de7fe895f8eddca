package io.sluice.gpu.sm.isa;

/** The sizes of loads and stores, as their field has them. */
public final class AccessSize {
  public static final int U8 = 0;
  public static final int S8 = 1;
  public static final int U16 = 2;
  public static final int S16 = 3;
  public static final int B32 = 4;
  public static final int B64 = 5;
  public static final int B128 = 6;

  private AccessSize() {}

  /** Bytes of an access. */
  public static int bytes(int size) {
    return switch (size) {
      case U8, S8 -> 1;
      case U16, S16 -> 2;
      case B32 -> 4;
      case B64 -> 8;
      case B128 -> 16;
      default -> throw new AssertionError(size);
    };
  }
}

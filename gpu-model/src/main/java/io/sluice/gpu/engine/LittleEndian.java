package io.sluice.gpu.engine;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Words of GPU memory: little-endian, naturally aligned, so that they can be accessed whole. */
public final class LittleEndian {
  /** 32-bit word. */
  public static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** 64-bit word. */
  public static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Access modes of {@link #INT}: coordinates are segment and byte offset. */
  public static final VarHandle INT_ACCESS = INT.varHandle();

  private LittleEndian() {}
}

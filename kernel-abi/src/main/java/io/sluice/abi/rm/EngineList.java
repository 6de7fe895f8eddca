package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV2080_CTRL_GPU_GET_ENGINES_V2_PARAMS}: block of GPU_GET_ENGINES_V2.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  engineCount               out
 * 0x04    336  engineList[84]            out: {@link RmEngine}
 * </pre>
 *
 * <p>340 bytes. Source: ctrl2080gpu.h.
 */
public final class EngineList {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("engineCount"),
              MemoryLayout.sequenceLayout(84, Layouts.U32).withName("engineList"))
          .withName("NV2080_CTRL_GPU_GET_ENGINES_V2_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("engineCount"));

  private static final VarHandle ENGINE =
      LAYOUT.varHandle(PathElement.groupElement("engineList"), PathElement.sequenceElement());

  private EngineList() {}

  /** {@code engineCount}, out. */
  public static int count(MemorySegment segment) {
    return (int) COUNT.get(segment, 0L);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, int value) {
    COUNT.set(segment, 0L, value);
  }

  /** {@code engineList[index]}, out: {@link RmEngine}. */
  public static int engine(MemorySegment segment, int index) {
    return (int) ENGINE.get(segment, 0L, (long) index);
  }

  /** Sets {@link #engine}. */
  public static void engine(MemorySegment segment, int index, int value) {
    ENGINE.set(segment, 0L, (long) index, value);
  }
}

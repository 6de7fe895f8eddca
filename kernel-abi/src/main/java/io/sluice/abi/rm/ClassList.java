package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS}: block of GPU_GET_CLASSLIST_V2.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  numClasses                out
 * 0x04    800  classList[200]            out
 * </pre>
 *
 * <p>804 bytes. Source: ctrl0080gpu.h.
 */
public final class ClassList {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("numClasses"),
              MemoryLayout.sequenceLayout(200, Layouts.U32).withName("classList"))
          .withName("NV0080_CTRL_GPU_GET_CLASSLIST_V2_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle COUNT = LAYOUT.varHandle(PathElement.groupElement("numClasses"));

  private static final VarHandle CLASS_NUMBER =
      LAYOUT.varHandle(PathElement.groupElement("classList"), PathElement.sequenceElement());

  private ClassList() {}

  /** {@code numClasses}, out. */
  public static int count(MemorySegment segment) {
    return (int) COUNT.get(segment, 0L);
  }

  /** Sets {@link #count}. */
  public static void count(MemorySegment segment, int value) {
    COUNT.set(segment, 0L, value);
  }

  /** {@code classList[index]}, out. */
  public static int classNumber(MemorySegment segment, int index) {
    return (int) CLASS_NUMBER.get(segment, 0L, (long) index);
  }

  /** Sets {@link #classNumber}. */
  public static void classNumber(MemorySegment segment, int index, int value) {
    CLASS_NUMBER.set(segment, 0L, (long) index, value);
  }
}

package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVC0B5_ALLOCATION_PARAMETERS}: block of HOPPER_DMA_COPY_A on a copy engine; on graphics
 * there is none.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  version                   in: 1
 * 0x04      4  engineType                in: {@link RmEngine}
 * </pre>
 *
 * <p>8 bytes. Source: clc0b5sw.h.
 */
public final class CopyAlloc {
  /** {@link #version}: {@link #engineType} is an engine type. */
  public static final int VERSION_ENGINE_TYPE = 1;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U32.withName("version"), Layouts.U32.withName("engineType"))
          .withName("NVC0B5_ALLOCATION_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VERSION = LAYOUT.varHandle(PathElement.groupElement("version"));

  private static final VarHandle ENGINE_TYPE =
      LAYOUT.varHandle(PathElement.groupElement("engineType"));

  private CopyAlloc() {}

  /** {@code version}, in: 1. */
  public static int version(MemorySegment segment) {
    return (int) VERSION.get(segment, 0L);
  }

  /** Sets {@link #version}. */
  public static void version(MemorySegment segment, int value) {
    VERSION.set(segment, 0L, value);
  }

  /** {@code engineType}, in: {@link RmEngine}. */
  public static int engineType(MemorySegment segment) {
    return (int) ENGINE_TYPE.get(segment, 0L);
  }

  /** Sets {@link #engineType}. */
  public static void engineType(MemorySegment segment, int value) {
    ENGINE_TYPE.set(segment, 0L, value);
  }
}

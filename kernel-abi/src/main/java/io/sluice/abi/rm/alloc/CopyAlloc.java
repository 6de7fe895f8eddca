package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NVC0B5_ALLOCATION_PARAMETERS}: block of HOPPER_DMA_COPY_A on a copy engine; on graphics
 * there is none.
 *
 * <p>8 bytes. Source: clc0b5sw.h.
 */
public final class CopyAlloc {
  /** {@link #VERSION}: {@link #ENGINE_TYPE} is an engine type. */
  public static final int VERSION_ENGINE_TYPE = 1;

  private static final Struct S = Struct.aligned("NVC0B5_ALLOCATION_PARAMETERS");
  public static final U32 VERSION = S.u32("version", "in: 1");
  public static final U32 ENGINE_TYPE = S.u32("engineType", "in: RmEngine");
  public static final StructLayout LAYOUT = S.layout();

  private CopyAlloc() {}
}

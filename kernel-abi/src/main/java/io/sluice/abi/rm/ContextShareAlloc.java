package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV_CTXSHARE_ALLOCATION_PARAMETERS}: block of FERMI_CONTEXT_SHARE_A.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hVASpace                  in: address space
 * 0x04      4  flags                     in: SYNC for copy engines, ASYNC for graphics
 * 0x08      4  subctxId                  out
 * </pre>
 *
 * <p>12 bytes. Source: nvos.h.
 */
public final class ContextShareAlloc {
  /** {@link #flags}: subcontext 0, the only one of a copy engine. */
  public static final int FLAGS_SYNC = 0;

  /** {@link #flags}: a subcontext beside it; graphics only. */
  public static final int FLAGS_ASYNC = 1;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hVASpace"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("subctxId"))
          .withName("NV_CTXSHARE_ALLOCATION_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_VA_SPACE =
      LAYOUT.varHandle(PathElement.groupElement("hVASpace"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle SUBCONTEXT_ID =
      LAYOUT.varHandle(PathElement.groupElement("subctxId"));

  private ContextShareAlloc() {}

  /** {@code hVASpace}, in: address space. */
  public static int hVaSpace(MemorySegment segment) {
    return (int) H_VA_SPACE.get(segment, 0L);
  }

  /** Sets {@link #hVaSpace}. */
  public static void hVaSpace(MemorySegment segment, int value) {
    H_VA_SPACE.set(segment, 0L, value);
  }

  /** {@code flags}, in: SYNC for copy engines, ASYNC for graphics. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code subctxId}, out. */
  public static int subcontextId(MemorySegment segment) {
    return (int) SUBCONTEXT_ID.get(segment, 0L);
  }

  /** Sets {@link #subcontextId}. */
  public static void subcontextId(MemorySegment segment, int value) {
    SUBCONTEXT_ID.set(segment, 0L, value);
  }
}

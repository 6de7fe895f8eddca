package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_gem_pool}: argument of GEM_POOL.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  handle              in: buffer
 *  0x04      4  pool                in: VIDEO or SYSTEM
 * </pre>
 *
 * <p>8 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtGemPool {
  /** Video memory. */
  public static final int VIDEO = 1;

  /** System memory. */
  public static final int SYSTEM = 2;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U32.withName("handle"), Layouts.U32.withName("pool"))
          .withName("sluice_ext_gem_pool");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle POOL = LAYOUT.varHandle(PathElement.groupElement("pool"));

  private ExtGemPool() {}

  /** {@code handle}, in: buffer. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code pool}, in: VIDEO or SYSTEM. */
  public static int pool(MemorySegment segment) {
    return (int) POOL.get(segment, 0L);
  }

  /** Sets {@link #pool}. */
  public static void pool(MemorySegment segment, int value) {
    POOL.set(segment, 0L, value);
  }
}

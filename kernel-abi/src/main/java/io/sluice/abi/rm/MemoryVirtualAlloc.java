package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS}: block of NV01_MEMORY_VIRTUAL, by which mappings name
 * an address space.
 *
 * <pre>
 * offset  size  field
 * 0x00      8  offset                    in: 0; out: lowest address
 * 0x08      8  limit                     in: 0; out: highest address
 * 0x10      4  hVASpace                  in: address space
 * </pre>
 *
 * <p>24 bytes. Source: nvos.h.
 */
public final class MemoryVirtualAlloc {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U64.withName("offset"),
              Layouts.U64.withName("limit"),
              Layouts.U32.withName("hVASpace"),
              MemoryLayout.paddingLayout(4).withName("pad0"))
          .withName("NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));

  private static final VarHandle LIMIT = LAYOUT.varHandle(PathElement.groupElement("limit"));

  private static final VarHandle H_VA_SPACE =
      LAYOUT.varHandle(PathElement.groupElement("hVASpace"));

  private MemoryVirtualAlloc() {}

  /** {@code offset}, in: 0; out: lowest address. */
  public static long offset(MemorySegment segment) {
    return (long) OFFSET.get(segment, 0L);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long value) {
    OFFSET.set(segment, 0L, value);
  }

  /** {@code limit}, in: 0; out: highest address. */
  public static long limit(MemorySegment segment) {
    return (long) LIMIT.get(segment, 0L);
  }

  /** Sets {@link #limit}. */
  public static void limit(MemorySegment segment, long value) {
    LIMIT.set(segment, 0L, value);
  }

  /** {@code hVASpace}, in: address space. */
  public static int hVaSpace(MemorySegment segment) {
    return (int) H_VA_SPACE.get(segment, 0L);
  }

  /** Sets {@link #hVaSpace}. */
  public static void hVaSpace(MemorySegment segment, int value) {
    H_VA_SPACE.set(segment, 0L, value);
  }
}

package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NV_VASPACE_ALLOCATION_PARAMETERS}: block of FERMI_VASPACE_A, in the form it has since 580.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  index                     in: 0, a new one
 * 0x04      4  flags                     in: 0
 * 0x08      8  vaSize                    in: 0; out: bytes
 * 0x10      8  vaStartInternal           in: 0
 * 0x18      8  vaLimitInternal           in: 0
 * 0x20      4  bigPageSize               in: 0; out: bytes
 * 0x28      8  vaBase                    in: 0; out: lowest address
 * 0x30      4  pasid                     in: 0
 * </pre>
 *
 * <p>56 bytes. Source: nvos.h.
 */
public final class VaspaceAlloc {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("index"),
              Layouts.U32.withName("flags"),
              Layouts.U64.withName("vaSize"),
              Layouts.U64.withName("vaStartInternal"),
              Layouts.U64.withName("vaLimitInternal"),
              Layouts.U32.withName("bigPageSize"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("vaBase"),
              Layouts.U32.withName("pasid"),
              MemoryLayout.paddingLayout(4).withName("pad1"))
          .withName("NV_VASPACE_ALLOCATION_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle INDEX = LAYOUT.varHandle(PathElement.groupElement("index"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle VA_SIZE = LAYOUT.varHandle(PathElement.groupElement("vaSize"));

  private static final VarHandle VA_START_INTERNAL =
      LAYOUT.varHandle(PathElement.groupElement("vaStartInternal"));

  private static final VarHandle VA_LIMIT_INTERNAL =
      LAYOUT.varHandle(PathElement.groupElement("vaLimitInternal"));

  private static final VarHandle BIG_PAGE_SIZE =
      LAYOUT.varHandle(PathElement.groupElement("bigPageSize"));

  private static final VarHandle VA_BASE = LAYOUT.varHandle(PathElement.groupElement("vaBase"));

  private static final VarHandle PASID = LAYOUT.varHandle(PathElement.groupElement("pasid"));

  private VaspaceAlloc() {}

  /** {@code index}, in: 0, a new one. */
  public static int index(MemorySegment segment) {
    return (int) INDEX.get(segment, 0L);
  }

  /** Sets {@link #index}. */
  public static void index(MemorySegment segment, int value) {
    INDEX.set(segment, 0L, value);
  }

  /** {@code flags}, in: 0. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code vaSize}, in: 0; out: bytes. */
  public static long vaSize(MemorySegment segment) {
    return (long) VA_SIZE.get(segment, 0L);
  }

  /** Sets {@link #vaSize}. */
  public static void vaSize(MemorySegment segment, long value) {
    VA_SIZE.set(segment, 0L, value);
  }

  /** {@code vaStartInternal}, in: 0. */
  public static long vaStartInternal(MemorySegment segment) {
    return (long) VA_START_INTERNAL.get(segment, 0L);
  }

  /** Sets {@link #vaStartInternal}. */
  public static void vaStartInternal(MemorySegment segment, long value) {
    VA_START_INTERNAL.set(segment, 0L, value);
  }

  /** {@code vaLimitInternal}, in: 0. */
  public static long vaLimitInternal(MemorySegment segment) {
    return (long) VA_LIMIT_INTERNAL.get(segment, 0L);
  }

  /** Sets {@link #vaLimitInternal}. */
  public static void vaLimitInternal(MemorySegment segment, long value) {
    VA_LIMIT_INTERNAL.set(segment, 0L, value);
  }

  /** {@code bigPageSize}, in: 0; out: bytes. */
  public static int bigPageSize(MemorySegment segment) {
    return (int) BIG_PAGE_SIZE.get(segment, 0L);
  }

  /** Sets {@link #bigPageSize}. */
  public static void bigPageSize(MemorySegment segment, int value) {
    BIG_PAGE_SIZE.set(segment, 0L, value);
  }

  /** {@code vaBase}, in: 0; out: lowest address. */
  public static long vaBase(MemorySegment segment) {
    return (long) VA_BASE.get(segment, 0L);
  }

  /** Sets {@link #vaBase}. */
  public static void vaBase(MemorySegment segment, long value) {
    VA_BASE.set(segment, 0L, value);
  }

  /** {@code pasid}, in: 0. */
  public static int pasid(MemorySegment segment) {
    return (int) PASID.get(segment, 0L);
  }

  /** Sets {@link #pasid}. */
  public static void pasid(MemorySegment segment, int value) {
    PASID.set(segment, 0L, value);
  }
}

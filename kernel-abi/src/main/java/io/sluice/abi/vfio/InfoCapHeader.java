package io.sluice.abi.vfio;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct vfio_info_cap_header}: head of a capability.
 *
 * <pre>
 * offset  size  field
 *  0x00      2  id                  kind
 *  0x02      2  version             of this kind
 *  0x04      4  next                offset of the next one from the start of the information; 0: none
 * </pre>
 *
 * <p>8 bytes. Unsigned, little-endian, at any offset. Source: linux/vfio.h.
 */
public final class InfoCapHeader {
  /** Kind: SparseMmap. */
  public static final int SPARSE_MMAP = 1;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.WIRE_U16.withName("id"),
              Layouts.WIRE_U16.withName("version"),
              Layouts.WIRE_U32.withName("next"))
          .withName("vfio_info_cap_header");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle ID = LAYOUT.varHandle(PathElement.groupElement("id"));
  private static final VarHandle VERSION = LAYOUT.varHandle(PathElement.groupElement("version"));
  private static final VarHandle NEXT = LAYOUT.varHandle(PathElement.groupElement("next"));

  private InfoCapHeader() {}

  /** {@code id}: kind. */
  public static short id(MemorySegment segment, long offset) {
    return (short) ID.get(segment, offset);
  }

  /** Sets {@link #id}. */
  public static void id(MemorySegment segment, long offset, short value) {
    ID.set(segment, offset, value);
  }

  /** {@code version}: of this kind. */
  public static short version(MemorySegment segment, long offset) {
    return (short) VERSION.get(segment, offset);
  }

  /** Sets {@link #version}. */
  public static void version(MemorySegment segment, long offset, short value) {
    VERSION.set(segment, offset, value);
  }

  /** {@code next}: offset of the next one from the start of the information; 0: none. */
  public static int next(MemorySegment segment, long offset) {
    return (int) NEXT.get(segment, offset);
  }

  /** Sets {@link #next}. */
  public static void next(MemorySegment segment, long offset, int value) {
    NEXT.set(segment, offset, value);
  }
}

package io.sluice.abi.guest;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Arguments of OBJ_ENG_NEW. {@code struct sluice_obj_eng_new}, sluice_abi.h.
 *
 * <pre>
 *   0x00  u32      cid              in
 *   0x04  u32      handle           in
 *   0x08  u32      oclass           in
 *   0x0c  u32      flags            in
 * </pre>
 *
 * All accessors take the segment and the byte offset of the structure in it, a multiple of 8.
 */
public final class ObjEngNew {
  /** The layout, with the header's names. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              ValueLayout.JAVA_INT.withName("cid"),
              ValueLayout.JAVA_INT.withName("handle"),
              ValueLayout.JAVA_INT.withName("oclass"),
              ValueLayout.JAVA_INT.withName("flags"))
          .withName("sluice_obj_eng_new");

  /** Size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(groupElement("cid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(groupElement("handle"));
  private static final VarHandle OCLASS = LAYOUT.varHandle(groupElement("oclass"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(groupElement("flags"));

  private ObjEngNew() {}

  /** {@code cid}: In. */
  public static int cid(MemorySegment segment, long offset) {
    return (int) CID.get(segment, offset);
  }

  /** Sets {@code cid}. */
  public static void cid(MemorySegment segment, long offset, int value) {
    CID.set(segment, offset, value);
  }

  /** {@code handle}: In. */
  public static int handle(MemorySegment segment, long offset) {
    return (int) HANDLE.get(segment, offset);
  }

  /** Sets {@code handle}. */
  public static void handle(MemorySegment segment, long offset, int value) {
    HANDLE.set(segment, offset, value);
  }

  /** {@code oclass}: In. */
  public static int oclass(MemorySegment segment, long offset) {
    return (int) OCLASS.get(segment, offset);
  }

  /** Sets {@code oclass}. */
  public static void oclass(MemorySegment segment, long offset, int value) {
    OCLASS.set(segment, offset, value);
  }

  /** {@code flags}: In. */
  public static int flags(MemorySegment segment, long offset) {
    return (int) FLAGS.get(segment, offset);
  }

  /** Sets {@code flags}. */
  public static void flags(MemorySegment segment, long offset, int value) {
    FLAGS.set(segment, offset, value);
  }
}

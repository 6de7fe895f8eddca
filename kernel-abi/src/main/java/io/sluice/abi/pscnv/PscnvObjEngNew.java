package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_obj_eng_new}: argument of OBJ_ENG_NEW.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 in: channel
 *  0x04      4  handle              in: name of the object
 *  0x08      4  oclass              in: engine class
 *  0x0c      4  flags               in
 * </pre>
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvObjEngNew {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("handle"),
              Layouts.U32.withName("oclass"),
              Layouts.U32.withName("flags"))
          .withName("drm_pscnv_obj_eng_new");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle OCLASS = LAYOUT.varHandle(PathElement.groupElement("oclass"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private PscnvObjEngNew() {}

  /** {@code cid}, in: channel. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code handle}, in: name of the object. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code oclass}, in: engine class. */
  public static int oclass(MemorySegment segment) {
    return (int) OCLASS.get(segment, 0L);
  }

  /** Sets {@link #oclass}. */
  public static void oclass(MemorySegment segment, int value) {
    OCLASS.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }
}

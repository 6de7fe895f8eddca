package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_obj_vdma_new}: argument of OBJ_VDMA_NEW, which a GTX 480 answers with
 * ENOSYS.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  cid                 in: channel
 *  0x04      4  handle              in: name of the object
 *  0x08      4  oclass              in: object class
 *  0x0c      4  flags               in
 *  0x10      8  start               in: first address
 *  0x18      8  size                in: bytes
 * </pre>
 *
 * <p>32 bytes. Source: pscnv_drm.h.
 */
public final class PscnvObjVdmaNew {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("handle"),
              Layouts.U32.withName("oclass"),
              Layouts.U32.withName("flags"),
              Layouts.U64.withName("start"),
              Layouts.U64.withName("size"))
          .withName("drm_pscnv_obj_vdma_new");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle OCLASS = LAYOUT.varHandle(PathElement.groupElement("oclass"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle START = LAYOUT.varHandle(PathElement.groupElement("start"));
  private static final VarHandle SIZE_FIELD = LAYOUT.varHandle(PathElement.groupElement("size"));

  private PscnvObjVdmaNew() {}

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

  /** {@code oclass}, in: object class. */
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

  /** {@code start}, in: first address. */
  public static long start(MemorySegment segment) {
    return (long) START.get(segment, 0L);
  }

  /** Sets {@link #start}. */
  public static void start(MemorySegment segment, long value) {
    START.set(segment, 0L, value);
  }

  /** {@code size}, in: bytes. */
  public static long size(MemorySegment segment) {
    return (long) SIZE_FIELD.get(segment, 0L);
  }

  /** Sets {@link #size}. */
  public static void size(MemorySegment segment, long value) {
    SIZE_FIELD.set(segment, 0L, value);
  }
}

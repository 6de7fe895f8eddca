package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_vspace_map}: argument of VSPACE_MAP.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  vid                 in: address space
 *  0x04      4  handle              in: buffer, mapped whole
 *  0x08      8  start               in: lowest address allowed
 *  0x10      8  end                 in: first address not allowed
 *  0x18      4  back                in: not 0: highest fit instead of lowest
 *  0x1c      4  flags               in: none defined
 *  0x20      8  offset              out: the address
 * </pre>
 *
 * <p>40 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVspaceMap {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("vid"),
              Layouts.U32.withName("handle"),
              Layouts.U64.withName("start"),
              Layouts.U64.withName("end"),
              Layouts.U32.withName("back"),
              Layouts.U32.withName("flags"),
              Layouts.U64.withName("offset"))
          .withName("drm_pscnv_vspace_map");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(PathElement.groupElement("vid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle START = LAYOUT.varHandle(PathElement.groupElement("start"));
  private static final VarHandle END = LAYOUT.varHandle(PathElement.groupElement("end"));
  private static final VarHandle BACK = LAYOUT.varHandle(PathElement.groupElement("back"));
  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));
  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));

  private PscnvVspaceMap() {}

  /** {@code vid}, in: address space. */
  public static int vid(MemorySegment segment) {
    return (int) VID.get(segment, 0L);
  }

  /** Sets {@link #vid}. */
  public static void vid(MemorySegment segment, int value) {
    VID.set(segment, 0L, value);
  }

  /** {@code handle}, in: buffer, mapped whole. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code start}, in: lowest address allowed. */
  public static long start(MemorySegment segment) {
    return (long) START.get(segment, 0L);
  }

  /** Sets {@link #start}. */
  public static void start(MemorySegment segment, long value) {
    START.set(segment, 0L, value);
  }

  /** {@code end}, in: first address not allowed. */
  public static long end(MemorySegment segment) {
    return (long) END.get(segment, 0L);
  }

  /** Sets {@link #end}. */
  public static void end(MemorySegment segment, long value) {
    END.set(segment, 0L, value);
  }

  /** {@code back}, in: not 0: highest fit instead of lowest. */
  public static int back(MemorySegment segment) {
    return (int) BACK.get(segment, 0L);
  }

  /** Sets {@link #back}. */
  public static void back(MemorySegment segment, int value) {
    BACK.set(segment, 0L, value);
  }

  /** {@code flags}, in: none defined. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code offset}, out: the address. */
  public static long offset(MemorySegment segment) {
    return (long) OFFSET.get(segment, 0L);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long value) {
    OFFSET.set(segment, 0L, value);
  }
}

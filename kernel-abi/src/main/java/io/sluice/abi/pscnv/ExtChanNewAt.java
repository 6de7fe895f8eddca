package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_chan_new_at}: argument of CHAN_NEW_AT: CHAN_NEW with a control page of
 * choice.
 *
 * <pre>
 * offset  size  field
 *  0x00      4  vid                 in: address space
 *  0x04      4  page                in: index in the control file, ANY_PAGE for any; out: the index
 *  0x08      4  cid                 out: channel
 *  0x0c      4  pad
 *  0x10      8  map_handle          out: of its control page
 * </pre>
 *
 * <p>24 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtChanNewAt {
  /** Any free page will do. */
  public static final int ANY_PAGE = ~0;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("vid"),
              Layouts.U32.withName("page"),
              Layouts.U32.withName("cid"),
              Layouts.U32.withName("pad"),
              Layouts.U64.withName("map_handle"))
          .withName("sluice_ext_chan_new_at");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(PathElement.groupElement("vid"));
  private static final VarHandle PAGE = LAYOUT.varHandle(PathElement.groupElement("page"));
  private static final VarHandle CID = LAYOUT.varHandle(PathElement.groupElement("cid"));
  private static final VarHandle MAP_HANDLE =
      LAYOUT.varHandle(PathElement.groupElement("map_handle"));

  private ExtChanNewAt() {}

  /** {@code vid}, in: address space. */
  public static int vid(MemorySegment segment) {
    return (int) VID.get(segment, 0L);
  }

  /** Sets {@link #vid}. */
  public static void vid(MemorySegment segment, int value) {
    VID.set(segment, 0L, value);
  }

  /** {@code page}, in: index in the control file, ANY_PAGE for any; out: the index. */
  public static int page(MemorySegment segment) {
    return (int) PAGE.get(segment, 0L);
  }

  /** Sets {@link #page}. */
  public static void page(MemorySegment segment, int value) {
    PAGE.set(segment, 0L, value);
  }

  /** {@code cid}, out: channel. */
  public static int cid(MemorySegment segment) {
    return (int) CID.get(segment, 0L);
  }

  /** Sets {@link #cid}. */
  public static void cid(MemorySegment segment, int value) {
    CID.set(segment, 0L, value);
  }

  /** {@code map_handle}, out: of its control page. */
  public static long mapHandle(MemorySegment segment) {
    return (long) MAP_HANDLE.get(segment, 0L);
  }

  /** Sets {@link #mapHandle}. */
  public static void mapHandle(MemorySegment segment, long value) {
    MAP_HANDLE.set(segment, 0L, value);
  }
}

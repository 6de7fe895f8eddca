package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct drm_pscnv_vm_map}: argument of VM_MAP and VM_UNMAP (pscnv as bundled with Gdev).
 *
 * <pre>
 * offset  size  field
 *  0x00      4  vid                 in: address space
 *  0x04      4  handle              in: buffer
 *  0x08      8  map_handle          out of VM_MAP
 * </pre>
 *
 * <p>16 bytes. Source: pscnv_drm.h.
 */
public final class PscnvVmMap {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("vid"),
              Layouts.U32.withName("handle"),
              Layouts.U64.withName("map_handle"))
          .withName("drm_pscnv_vm_map");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VID = LAYOUT.varHandle(PathElement.groupElement("vid"));
  private static final VarHandle HANDLE = LAYOUT.varHandle(PathElement.groupElement("handle"));
  private static final VarHandle MAP_HANDLE =
      LAYOUT.varHandle(PathElement.groupElement("map_handle"));

  private PscnvVmMap() {}

  /** {@code vid}, in: address space. */
  public static int vid(MemorySegment segment) {
    return (int) VID.get(segment, 0L);
  }

  /** Sets {@link #vid}. */
  public static void vid(MemorySegment segment, int value) {
    VID.set(segment, 0L, value);
  }

  /** {@code handle}, in: buffer. */
  public static int handle(MemorySegment segment) {
    return (int) HANDLE.get(segment, 0L);
  }

  /** Sets {@link #handle}. */
  public static void handle(MemorySegment segment, int value) {
    HANDLE.set(segment, 0L, value);
  }

  /** {@code map_handle}, out of VM_MAP. */
  public static long mapHandle(MemorySegment segment) {
    return (long) MAP_HANDLE.get(segment, 0L);
  }

  /** Sets {@link #mapHandle}. */
  public static void mapHandle(MemorySegment segment, long value) {
    MAP_HANDLE.set(segment, 0L, value);
  }
}

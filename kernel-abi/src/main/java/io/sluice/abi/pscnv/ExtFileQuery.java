package io.sluice.abi.pscnv;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code struct sluice_ext_file_query}: argument of FILE_QUERY.
 *
 * <pre>
 * offset  size  field
 *  0x00      8  vram_bytes          out: video memory of this open
 *  0x08      8  system_bytes        out: system memory of this open
 *  0x10      8  vram_total          out: video memory of the GPU
 *  0x18      8  vram_free           out: of it, free
 *  0x20      8  gpu_ns              out: GPU time this open has used
 *  0x28      8  wait_ns             out: time it had work and others had the GPU
 * </pre>
 *
 * <p>48 bytes. Source: docs/architecture.md, "Extensions of the software GPU".
 */
public final class ExtFileQuery {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U64.withName("vram_bytes"),
              Layouts.U64.withName("system_bytes"),
              Layouts.U64.withName("vram_total"),
              Layouts.U64.withName("vram_free"),
              Layouts.U64.withName("gpu_ns"),
              Layouts.U64.withName("wait_ns"))
          .withName("sluice_ext_file_query");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle VRAM_BYTES =
      LAYOUT.varHandle(PathElement.groupElement("vram_bytes"));
  private static final VarHandle SYSTEM_BYTES =
      LAYOUT.varHandle(PathElement.groupElement("system_bytes"));
  private static final VarHandle VRAM_TOTAL =
      LAYOUT.varHandle(PathElement.groupElement("vram_total"));
  private static final VarHandle VRAM_FREE =
      LAYOUT.varHandle(PathElement.groupElement("vram_free"));
  private static final VarHandle GPU_NS = LAYOUT.varHandle(PathElement.groupElement("gpu_ns"));
  private static final VarHandle WAIT_NS = LAYOUT.varHandle(PathElement.groupElement("wait_ns"));

  private ExtFileQuery() {}

  /** {@code gpu_ns}, out: GPU time this open has used. */
  public static long gpuNs(MemorySegment segment) {
    return (long) GPU_NS.get(segment, 0L);
  }

  /** Sets {@link #gpuNs}. */
  public static void gpuNs(MemorySegment segment, long value) {
    GPU_NS.set(segment, 0L, value);
  }

  /** {@code wait_ns}, out: time it had work and others had the GPU. */
  public static long waitNs(MemorySegment segment) {
    return (long) WAIT_NS.get(segment, 0L);
  }

  /** Sets {@link #waitNs}. */
  public static void waitNs(MemorySegment segment, long value) {
    WAIT_NS.set(segment, 0L, value);
  }

  /** {@code vram_bytes}, out: video memory of this open. */
  public static long vramBytes(MemorySegment segment) {
    return (long) VRAM_BYTES.get(segment, 0L);
  }

  /** Sets {@link #vramBytes}. */
  public static void vramBytes(MemorySegment segment, long value) {
    VRAM_BYTES.set(segment, 0L, value);
  }

  /** {@code system_bytes}, out: system memory of this open. */
  public static long systemBytes(MemorySegment segment) {
    return (long) SYSTEM_BYTES.get(segment, 0L);
  }

  /** Sets {@link #systemBytes}. */
  public static void systemBytes(MemorySegment segment, long value) {
    SYSTEM_BYTES.set(segment, 0L, value);
  }

  /** {@code vram_total}, out: video memory of the GPU. */
  public static long vramTotal(MemorySegment segment) {
    return (long) VRAM_TOTAL.get(segment, 0L);
  }

  /** Sets {@link #vramTotal}. */
  public static void vramTotal(MemorySegment segment, long value) {
    VRAM_TOTAL.set(segment, 0L, value);
  }

  /** {@code vram_free}, out: of it, free. */
  public static long vramFree(MemorySegment segment) {
    return (long) VRAM_FREE.get(segment, 0L);
  }

  /** Sets {@link #vramFree}. */
  public static void vramFree(MemorySegment segment, long value) {
    VRAM_FREE.set(segment, 0L, value);
  }
}

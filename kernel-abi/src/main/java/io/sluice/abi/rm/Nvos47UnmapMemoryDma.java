package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS47_PARAMETERS}: argument of RM_UNMAP_MEMORY_DMA.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client
 * 0x04      4  hDevice                   in: device
 * 0x08      4  hDma                      in: virtual memory of the address space
 * 0x0c      4  hMemory                   in: memory
 * 0x10      4  flags                     in
 * 0x18      8  dmaOffset                 in: address
 * 0x20      8  size                      in: bytes
 * 0x28      4  status                    out
 * </pre>
 *
 * <p>48 bytes. Source: nvos.h.
 */
public final class Nvos47UnmapMemoryDma {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hDevice"),
              Layouts.U32.withName("hDma"),
              Layouts.U32.withName("hMemory"),
              Layouts.U32.withName("flags"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("dmaOffset"),
              Layouts.U64.withName("size"),
              Layouts.U32.withName("status"),
              MemoryLayout.paddingLayout(4).withName("pad1"))
          .withName("NVOS47_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_DEVICE = LAYOUT.varHandle(PathElement.groupElement("hDevice"));

  private static final VarHandle H_DMA = LAYOUT.varHandle(PathElement.groupElement("hDma"));

  private static final VarHandle H_MEMORY = LAYOUT.varHandle(PathElement.groupElement("hMemory"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle DMA_OFFSET =
      LAYOUT.varHandle(PathElement.groupElement("dmaOffset"));

  private static final VarHandle SIZE_BYTES = LAYOUT.varHandle(PathElement.groupElement("size"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private Nvos47UnmapMemoryDma() {}

  /** {@code hClient}, in: client. */
  public static int hClient(MemorySegment segment) {
    return (int) H_CLIENT.get(segment, 0L);
  }

  /** Sets {@link #hClient}. */
  public static void hClient(MemorySegment segment, int value) {
    H_CLIENT.set(segment, 0L, value);
  }

  /** {@code hDevice}, in: device. */
  public static int hDevice(MemorySegment segment) {
    return (int) H_DEVICE.get(segment, 0L);
  }

  /** Sets {@link #hDevice}. */
  public static void hDevice(MemorySegment segment, int value) {
    H_DEVICE.set(segment, 0L, value);
  }

  /** {@code hDma}, in: virtual memory of the address space. */
  public static int hDma(MemorySegment segment) {
    return (int) H_DMA.get(segment, 0L);
  }

  /** Sets {@link #hDma}. */
  public static void hDma(MemorySegment segment, int value) {
    H_DMA.set(segment, 0L, value);
  }

  /** {@code hMemory}, in: memory. */
  public static int hMemory(MemorySegment segment) {
    return (int) H_MEMORY.get(segment, 0L);
  }

  /** Sets {@link #hMemory}. */
  public static void hMemory(MemorySegment segment, int value) {
    H_MEMORY.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code dmaOffset}, in: address. */
  public static long dmaOffset(MemorySegment segment) {
    return (long) DMA_OFFSET.get(segment, 0L);
  }

  /** Sets {@link #dmaOffset}. */
  public static void dmaOffset(MemorySegment segment, long value) {
    DMA_OFFSET.set(segment, 0L, value);
  }

  /** {@code size}, in: bytes. */
  public static long sizeBytes(MemorySegment segment) {
    return (long) SIZE_BYTES.get(segment, 0L);
  }

  /** Sets {@link #sizeBytes}. */
  public static void sizeBytes(MemorySegment segment, long value) {
    SIZE_BYTES.set(segment, 0L, value);
  }

  /** {@code status}, out. */
  public static int status(MemorySegment segment) {
    return (int) STATUS.get(segment, 0L);
  }

  /** Sets {@link #status}. */
  public static void status(MemorySegment segment, int value) {
    STATUS.set(segment, 0L, value);
  }
}

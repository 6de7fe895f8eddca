package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS46_PARAMETERS}: argument of RM_MAP_MEMORY_DMA, in the form it has since 580.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client
 * 0x04      4  hDevice                   in: device
 * 0x08      4  hDma                      in: virtual memory of the address space
 * 0x0c      4  hMemory                   in: memory
 * 0x10      8  offset                    in: first byte of the memory
 * 0x18      8  length                    in: bytes
 * 0x20      4  flags                     in
 * 0x24      4  flags2                    in
 * 0x28      4  kindOverride              in
 * 0x30      8  dmaOffset                 in: address wanted; out: address
 * 0x38      4  status                    out
 * </pre>
 *
 * <p>64 bytes. Source: nvos.h.
 */
public final class Nvos46MapMemoryDma {
  /** {@link #flags}: the GPU may only read. */
  public static final int FLAGS_ACCESS_READ_ONLY = 1;

  /** {@link #flags}: accesses snoop the CPU's caches. */
  public static final int FLAGS_CACHE_SNOOP = 1 << 4;

  /** {@link #flags}: with 4 KiB pages, whatever the memory's are. */
  public static final int FLAGS_PAGE_SIZE_4KB = 1 << 8;

  /** {@link #flags}: {@link #dmaOffset} is the address, nothing else will do. */
  public static final int FLAGS_DMA_OFFSET_FIXED = 1 << 15;

  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hDevice"),
              Layouts.U32.withName("hDma"),
              Layouts.U32.withName("hMemory"),
              Layouts.U64.withName("offset"),
              Layouts.U64.withName("length"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("flags2"),
              Layouts.U32.withName("kindOverride"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("dmaOffset"),
              Layouts.U32.withName("status"),
              MemoryLayout.paddingLayout(4).withName("pad1"))
          .withName("NVOS46_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_DEVICE = LAYOUT.varHandle(PathElement.groupElement("hDevice"));

  private static final VarHandle H_DMA = LAYOUT.varHandle(PathElement.groupElement("hDma"));

  private static final VarHandle H_MEMORY = LAYOUT.varHandle(PathElement.groupElement("hMemory"));

  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));

  private static final VarHandle LENGTH = LAYOUT.varHandle(PathElement.groupElement("length"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle FLAGS2 = LAYOUT.varHandle(PathElement.groupElement("flags2"));

  private static final VarHandle KIND_OVERRIDE =
      LAYOUT.varHandle(PathElement.groupElement("kindOverride"));

  private static final VarHandle DMA_OFFSET =
      LAYOUT.varHandle(PathElement.groupElement("dmaOffset"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private Nvos46MapMemoryDma() {}

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

  /** {@code offset}, in: first byte of the memory. */
  public static long offset(MemorySegment segment) {
    return (long) OFFSET.get(segment, 0L);
  }

  /** Sets {@link #offset}. */
  public static void offset(MemorySegment segment, long value) {
    OFFSET.set(segment, 0L, value);
  }

  /** {@code length}, in: bytes. */
  public static long length(MemorySegment segment) {
    return (long) LENGTH.get(segment, 0L);
  }

  /** Sets {@link #length}. */
  public static void length(MemorySegment segment, long value) {
    LENGTH.set(segment, 0L, value);
  }

  /** {@code flags}, in. */
  public static int flags(MemorySegment segment) {
    return (int) FLAGS.get(segment, 0L);
  }

  /** Sets {@link #flags}. */
  public static void flags(MemorySegment segment, int value) {
    FLAGS.set(segment, 0L, value);
  }

  /** {@code flags2}, in. */
  public static int flags2(MemorySegment segment) {
    return (int) FLAGS2.get(segment, 0L);
  }

  /** Sets {@link #flags2}. */
  public static void flags2(MemorySegment segment, int value) {
    FLAGS2.set(segment, 0L, value);
  }

  /** {@code kindOverride}, in. */
  public static int kindOverride(MemorySegment segment) {
    return (int) KIND_OVERRIDE.get(segment, 0L);
  }

  /** Sets {@link #kindOverride}. */
  public static void kindOverride(MemorySegment segment, int value) {
    KIND_OVERRIDE.set(segment, 0L, value);
  }

  /** {@code dmaOffset}, in: address wanted; out: address. */
  public static long dmaOffset(MemorySegment segment) {
    return (long) DMA_OFFSET.get(segment, 0L);
  }

  /** Sets {@link #dmaOffset}. */
  public static void dmaOffset(MemorySegment segment, long value) {
    DMA_OFFSET.set(segment, 0L, value);
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

package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code NVOS34_PARAMETERS}: argument of RM_UNMAP_MEMORY.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client
 * 0x04      4  hDevice                   in: device or subdevice
 * 0x08      4  hMemory                   in: object
 * 0x10      8  pLinearAddress            in
 * 0x18      4  status                    out
 * 0x1c      4  flags                     in
 * </pre>
 *
 * <p>32 bytes. Source: nvos.h.
 */
public final class Nvos34UnmapMemory {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hDevice"),
              Layouts.U32.withName("hMemory"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("pLinearAddress"),
              Layouts.U32.withName("status"),
              Layouts.U32.withName("flags"))
          .withName("NVOS34_PARAMETERS");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_DEVICE = LAYOUT.varHandle(PathElement.groupElement("hDevice"));

  private static final VarHandle H_MEMORY = LAYOUT.varHandle(PathElement.groupElement("hMemory"));

  private static final VarHandle LINEAR_ADDRESS =
      LAYOUT.varHandle(PathElement.groupElement("pLinearAddress"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private Nvos34UnmapMemory() {}

  /** {@code hClient}, in: client. */
  public static int hClient(MemorySegment segment) {
    return (int) H_CLIENT.get(segment, 0L);
  }

  /** Sets {@link #hClient}. */
  public static void hClient(MemorySegment segment, int value) {
    H_CLIENT.set(segment, 0L, value);
  }

  /** {@code hDevice}, in: device or subdevice. */
  public static int hDevice(MemorySegment segment) {
    return (int) H_DEVICE.get(segment, 0L);
  }

  /** Sets {@link #hDevice}. */
  public static void hDevice(MemorySegment segment, int value) {
    H_DEVICE.set(segment, 0L, value);
  }

  /** {@code hMemory}, in: object. */
  public static int hMemory(MemorySegment segment) {
    return (int) H_MEMORY.get(segment, 0L);
  }

  /** Sets {@link #hMemory}. */
  public static void hMemory(MemorySegment segment, int value) {
    H_MEMORY.set(segment, 0L, value);
  }

  /** {@code pLinearAddress}, in. */
  public static long linearAddress(MemorySegment segment) {
    return (long) LINEAR_ADDRESS.get(segment, 0L);
  }

  /** Sets {@link #linearAddress}. */
  public static void linearAddress(MemorySegment segment, long value) {
    LINEAR_ADDRESS.set(segment, 0L, value);
  }

  /** {@code status}, out. */
  public static int status(MemorySegment segment) {
    return (int) STATUS.get(segment, 0L);
  }

  /** Sets {@link #status}. */
  public static void status(MemorySegment segment, int value) {
    STATUS.set(segment, 0L, value);
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

package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code nv_ioctl_nvos33_parameters_with_fd}: argument of RM_MAP_MEMORY, which prepares a
 * descriptor to be mapped.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client
 * 0x04      4  hDevice                   in: device or subdevice
 * 0x08      4  hMemory                   in: object
 * 0x10      8  offset                    in: bytes
 * 0x18      8  length                    in: bytes
 * 0x20      8  pLinearAddress            out: of no use
 * 0x28      4  status                    out
 * 0x2c      4  flags                     in
 * 0x30      4  fd                        in: a descriptor nothing was mapped by yet
 * </pre>
 *
 * <p>56 bytes. Source: nvos.h, nv-unix-nvos-params-wrappers.h.
 */
public final class Nvos33MapMemory {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hDevice"),
              Layouts.U32.withName("hMemory"),
              MemoryLayout.paddingLayout(4).withName("pad0"),
              Layouts.U64.withName("offset"),
              Layouts.U64.withName("length"),
              Layouts.U64.withName("pLinearAddress"),
              Layouts.U32.withName("status"),
              Layouts.U32.withName("flags"),
              Layouts.U32.withName("fd"),
              MemoryLayout.paddingLayout(4).withName("pad1"))
          .withName("nv_ioctl_nvos33_parameters_with_fd");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_DEVICE = LAYOUT.varHandle(PathElement.groupElement("hDevice"));

  private static final VarHandle H_MEMORY = LAYOUT.varHandle(PathElement.groupElement("hMemory"));

  private static final VarHandle OFFSET = LAYOUT.varHandle(PathElement.groupElement("offset"));

  private static final VarHandle LENGTH = LAYOUT.varHandle(PathElement.groupElement("length"));

  private static final VarHandle LINEAR_ADDRESS =
      LAYOUT.varHandle(PathElement.groupElement("pLinearAddress"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("status"));

  private static final VarHandle FLAGS = LAYOUT.varHandle(PathElement.groupElement("flags"));

  private static final VarHandle FD = LAYOUT.varHandle(PathElement.groupElement("fd"));

  private Nvos33MapMemory() {}

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

  /** {@code offset}, in: bytes. */
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

  /** {@code pLinearAddress}, out: of no use. */
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

  /** {@code fd}, in: a descriptor nothing was mapped by yet. */
  public static int fd(MemorySegment segment) {
    return (int) FD.get(segment, 0L);
  }

  /** Sets {@link #fd}. */
  public static void fd(MemorySegment segment, int value) {
    FD.set(segment, 0L, value);
  }
}

package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code nv_ioctl_alloc_os_event_t}: argument of ALLOC_OS_EVENT, issued on the descriptor that is
 * to become readable.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  hClient                   in: client
 * 0x04      4  hDevice                   in: device
 * 0x08      4  fd                        in: the descriptor itself
 * 0x0c      4  Status                    out
 * </pre>
 *
 * <p>16 bytes. Source: nv-ioctl.h.
 */
public final class NvAllocOsEvent {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
              Layouts.U32.withName("hClient"),
              Layouts.U32.withName("hDevice"),
              Layouts.U32.withName("fd"),
              Layouts.U32.withName("Status"))
          .withName("nv_ioctl_alloc_os_event_t");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle H_CLIENT = LAYOUT.varHandle(PathElement.groupElement("hClient"));

  private static final VarHandle H_DEVICE = LAYOUT.varHandle(PathElement.groupElement("hDevice"));

  private static final VarHandle FD = LAYOUT.varHandle(PathElement.groupElement("fd"));

  private static final VarHandle STATUS = LAYOUT.varHandle(PathElement.groupElement("Status"));

  private NvAllocOsEvent() {}

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

  /** {@code fd}, in: the descriptor itself. */
  public static int fd(MemorySegment segment) {
    return (int) FD.get(segment, 0L);
  }

  /** Sets {@link #fd}. */
  public static void fd(MemorySegment segment, int value) {
    FD.set(segment, 0L, value);
  }

  /** {@code Status}, out. */
  public static int status(MemorySegment segment) {
    return (int) STATUS.get(segment, 0L);
  }

  /** Sets {@link #status}. */
  public static void status(MemorySegment segment, int value) {
    STATUS.set(segment, 0L, value);
  }
}

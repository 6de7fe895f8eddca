package io.sluice.abi.rm;

import io.sluice.abi.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.VarHandle;

/**
 * {@code nv_ioctl_register_fd_t}: argument of REGISTER_FD.
 *
 * <pre>
 * offset  size  field
 * 0x00      4  ctl_fd                    in: descriptor of /dev/nvidiactl whose clients this one may name
 * </pre>
 *
 * <p>4 bytes. Source: nv-ioctl.h.
 */
public final class NvRegisterFd {
  /** The layout, with the names of the C structure. */
  public static final StructLayout LAYOUT =
      MemoryLayout.structLayout(Layouts.U32.withName("ctl_fd")).withName("nv_ioctl_register_fd_t");

  /** Bytes of the structure. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final VarHandle CONTROL_FD = LAYOUT.varHandle(PathElement.groupElement("ctl_fd"));

  private NvRegisterFd() {}

  /** {@code ctl_fd}, in: descriptor of /dev/nvidiactl whose clients this one may name. */
  public static int controlFd(MemorySegment segment) {
    return (int) CONTROL_FD.get(segment, 0L);
  }

  /** Sets {@link #controlFd}. */
  public static void controlFd(MemorySegment segment, int value) {
    CONTROL_FD.set(segment, 0L, value);
  }
}

package io.sluice.abi.rm.ioctl;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code nv_ioctl_register_fd_t}: argument of REGISTER_FD.
 *
 * <p>4 bytes. Source: nv-ioctl.h.
 */
public final class NvRegisterFd {
  private static final Struct S = Struct.aligned("nv_ioctl_register_fd_t");
  public static final S32 CONTROL_FD =
      S.s32("ctl_fd", "in: descriptor of /dev/nvidiactl whose clients this one may name");
  public static final StructLayout LAYOUT = S.layout();

  private NvRegisterFd() {}
}

package io.sluice.abi.rm.ioctl;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code nv_ioctl_alloc_os_event_t}: argument of ALLOC_OS_EVENT, issued on the descriptor that is
 * to become readable.
 *
 * <p>16 bytes. Source: nv-ioctl.h.
 */
public final class NvAllocOsEvent {
  private static final Struct S = Struct.aligned("nv_ioctl_alloc_os_event_t");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_DEVICE = S.u32("hDevice", "in: device");
  public static final S32 FD = S.s32("fd", "in: the descriptor itself");
  public static final U32 STATUS = S.u32("Status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private NvAllocOsEvent() {}
}

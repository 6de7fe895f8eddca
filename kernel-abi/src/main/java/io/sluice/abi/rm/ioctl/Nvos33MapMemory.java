package io.sluice.abi.rm.ioctl;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code nv_ioctl_nvos33_parameters_with_fd}: argument of RM_MAP_MEMORY, which prepares a
 * descriptor to be mapped.
 *
 * <p>56 bytes. Source: nvos.h, nv-unix-nvos-params-wrappers.h.
 */
public final class Nvos33MapMemory {
  private static final Struct S = Struct.aligned("nv_ioctl_nvos33_parameters_with_fd");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_DEVICE = S.u32("hDevice", "in: device or subdevice");
  public static final U32 H_MEMORY = S.u32("hMemory", "in: object");
  public static final U64 OFFSET = S.u64("offset", "in: in the object, bytes");
  public static final U64 LENGTH = S.u64("length", "in: bytes");
  public static final U64 LINEAR_ADDRESS = S.u64("pLinearAddress", "out: names the mapping");
  public static final U32 STATUS = S.u32("status", "out");
  public static final S32 FD =
      S.unused32("flags", "in").s32("fd", "in: a descriptor nothing was mapped by yet");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos33MapMemory() {}
}

package io.sluice.abi.rm.ioctl;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code nv_ioctl_nvos02_parameters_with_fd}: argument of RM_ALLOC_MEMORY, which makes memory of
 * what the caller has mapped.
 *
 * <p>56 bytes. Source: nvos.h, nv-unix-nvos-params-wrappers.h.
 */
public final class Nvos02AllocMemory {
  /** {@link #FLAGS}: the pages are not contiguous. */
  public static final int FLAGS_PHYSICALITY_NONCONTIGUOUS = 1 << 4;

  /** {@link #FLAGS}: cached by the CPU. */
  public static final int FLAGS_COHERENCY_CACHED = 1 << 12;

  /** {@link #FLAGS}: RM makes no kernel mapping of it. */
  public static final int FLAGS_MAPPING_NO_MAP = 1 << 30;

  private static final Struct S = Struct.aligned("nv_ioctl_nvos02_parameters_with_fd");
  public static final U32 H_ROOT = S.u32("hRoot", "in: client");
  public static final U32 H_PARENT = S.u32("hObjectParent", "in: device");
  public static final U32 H_OBJECT = S.u32("hObjectNew", "in: handle, the caller's choice");
  public static final U32 H_CLASS = S.u32("hClass", "in: class number");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final U64 MEMORY = S.u64("pMemory", "in: address, a multiple of 4096");
  public static final U64 LIMIT = S.u64("limit", "in: bytes minus 1");
  public static final U32 STATUS = S.u32("status", "out");
  public static final S32 FD = S.pad(4).s32("fd", "in: -1");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos02AllocMemory() {}
}

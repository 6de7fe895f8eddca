package io.sluice.abi.rm.ioctl;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NVOS64_PARAMETERS}: argument of RM_ALLOC in the form that libcuda uses.
 *
 * <p>48 bytes. Source: nvos.h.
 */
public final class Nvos64Alloc {
  private static final Struct S = Struct.aligned("NVOS64_PARAMETERS");
  public static final U32 H_ROOT = S.u32("hRoot", "in: client; 0 when making one");
  public static final U32 H_PARENT = S.u32("hObjectParent", "in: parent; 0 when making a client");
  public static final U32 H_OBJECT = S.u32("hObjectNew", "in: handle wanted; out: the handle");
  public static final U32 H_CLASS = S.u32("hClass", "in: class number");
  public static final U64 PARAMS = S.u64("pAllocParms", "in: address of the class's block, or 0");
  public static final U64 RIGHTS = S.u64("pRightsRequested", "in: address of rights, or 0");
  public static final U32 PARAMS_SIZE = S.u32("paramsSize", "in: bytes of the block, or 0");
  public static final U32 FLAGS = S.u32("flags", "in: 0; 1 for a block in another form");
  public static final U32 STATUS = S.u32("status", "out");
  public static final StructLayout LAYOUT = S.layout();

  private Nvos64Alloc() {}
}

package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS}: block of KEPLER_CHANNEL_GROUP_A.
 *
 * <p>20 bytes. Source: nvos.h.
 */
public final class ChannelGroupAlloc {
  private static final Struct S = Struct.aligned("NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS");
  public static final U32 H_OBJECT_ERROR = S.u32("hObjectError", "in: 0");
  public static final U32 H_ECC_ERROR = S.u32("hObjectEccError", "in: 0");
  public static final U32 H_VA_SPACE = S.u32("hVASpace", "in: address space");
  public static final U32 ENGINE_TYPE = S.u32("engineType", "in: never 0; RmEngine");
  public static final U8 VGPU_PLUGIN = S.u8("bIsCallingContextVgpuPlugin", "in: 0");
  public static final StructLayout LAYOUT = S.layout();

  private ChannelGroupAlloc() {}
}

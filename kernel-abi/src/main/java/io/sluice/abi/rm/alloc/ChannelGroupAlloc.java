package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS}: block of KEPLER_CHANNEL_GROUP_A.
 *
 * <p>20 bytes. Source: nvos.h.
 */
public final class ChannelGroupAlloc {
  private static final Struct S = Struct.aligned("NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS");
  public static final U32 H_VA_SPACE =
      S.unused32("hObjectError", "in: 0")
          .unused32("hObjectEccError", "in: 0")
          .u32("hVASpace", "in: address space");
  public static final U32 ENGINE_TYPE = S.u32("engineType", "in: never 0; RmEngine");
  public static final StructLayout LAYOUT =
      S.unused8("bIsCallingContextVgpuPlugin", "in: 0").layout();

  private ChannelGroupAlloc() {}
}

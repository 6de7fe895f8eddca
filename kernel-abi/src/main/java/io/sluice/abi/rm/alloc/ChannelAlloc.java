package io.sluice.abi.rm.alloc;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_CHANNEL_ALLOC_PARAMS}: block of HOPPER_CHANNEL_GPFIFO_A, in the form it has since 570.
 *
 * <p>368 bytes. Source: alloc/alloc_channel.h.
 */
public final class ChannelAlloc {
  private static final Struct S = Struct.aligned("NV_CHANNEL_ALLOC_PARAMS");
  public static final U32 H_OBJECT_ERROR =
      S.u32("hObjectError", "in: memory of the error notifier, or 0");
  public static final U64 GP_FIFO_OFFSET =
      S.unused32("hObjectBuffer", "in: 0").u64("gpFifoOffset", "in: address of the ring");
  public static final U32 GP_FIFO_ENTRIES = S.u32("gpFifoEntries", "in: a power of two");
  public static final U32 H_CONTEXT_SHARE =
      S.unused32("flags", "in").u32("hContextShare", "in: subcontext");
  public static final U32 H_VA_SPACE = S.u32("hVASpace", "in: 0 in a group");
  public static final Elements<U32> H_USERD_MEMORY =
      S.u32s("hUserdMemory", 8, "in: memory of USERD, by subdevice");
  public static final Elements<U64> USERD_OFFSET =
      S.u64s("userdOffset", 8, "in: a multiple of 512, which RM does not check");
  public static final U32 ENGINE_TYPE = S.u32("engineType", "in: RmEngine");
  public static final StructLayout LAYOUT =
      S.unused32("cid", "out: channel id of the runlist")
          .unused32("subDeviceId", "in: 0")
          .unused32("hObjectEccError", "in: 0")
          .unusedBytes("instanceMem", 24, "the driver's own, as all that follow")
          .unusedBytes("userdMem", 24, "not used")
          .unusedBytes("ramfcMem", 24, "not used")
          .unusedBytes("mthdbufMem", 24, "not used")
          .unused32("hPhysChannelGroup", "not used")
          .unused32("internalFlags", "not used")
          .unusedBytes("errorNotifierMem", 24, "not used")
          .unusedBytes("eccErrorNotifierMem", 24, "not used")
          .unused32("ProcessID", "not used")
          .unused32("SubProcessID", "not used")
          .unusedBytes("encryptIv", 12, "not used")
          .unusedBytes("decryptIv", 12, "not used")
          .unusedBytes("hmacNonce", 32, "not used")
          .unused32("tpcConfigID", "not used")
          .layout();

  private ChannelAlloc() {}
}

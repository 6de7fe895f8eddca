package io.sluice.abi.rm.alloc;

import io.sluice.abi.Elements;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import io.sluice.abi.U8;
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
  public static final U32 H_OBJECT_BUFFER = S.u32("hObjectBuffer", "in: 0");
  public static final U64 GP_FIFO_OFFSET = S.u64("gpFifoOffset", "in: address of the ring");
  public static final U32 GP_FIFO_ENTRIES = S.u32("gpFifoEntries", "in: a power of two");
  public static final U32 FLAGS = S.u32("flags", "in");
  public static final U32 H_CONTEXT_SHARE = S.u32("hContextShare", "in: subcontext");
  public static final U32 H_VA_SPACE = S.u32("hVASpace", "in: 0 in a group");
  public static final Elements<U32> H_USERD_MEMORY =
      S.u32s("hUserdMemory", 8, "in: memory of USERD, by subdevice");
  public static final Elements<U64> USERD_OFFSET =
      S.u64s("userdOffset", 8, "in: a multiple of 512, which RM does not check");
  public static final U32 ENGINE_TYPE = S.u32("engineType", "in: RmEngine");
  public static final U32 CID = S.u32("cid", "out: channel id of the runlist");
  public static final U32 SUB_DEVICE_ID = S.u32("subDeviceId", "in: 0");
  public static final U32 H_ECC_ERROR = S.u32("hObjectEccError", "in: 0");
  public static final Elements<U8> INSTANCE_MEM =
      S.bytes("instanceMem", 24, "the driver's own, as all that follow");
  public static final Elements<U8> USERD_MEM = S.bytes("userdMem", 24, "not used");
  public static final Elements<U8> RAMFC_MEM = S.bytes("ramfcMem", 24, "not used");
  public static final Elements<U8> MTHDBUF_MEM = S.bytes("mthdbufMem", 24, "not used");
  public static final U32 H_PHYS_CHANNEL_GROUP = S.u32("hPhysChannelGroup", "not used");
  public static final U32 INTERNAL_FLAGS = S.u32("internalFlags", "not used");
  public static final Elements<U8> ERROR_NOTIFIER_MEM = S.bytes("errorNotifierMem", 24, "not used");
  public static final Elements<U8> ECC_ERROR_NOTIFIER_MEM =
      S.bytes("eccErrorNotifierMem", 24, "not used");
  public static final U32 PROCESS_ID = S.u32("ProcessID", "not used");
  public static final U32 SUB_PROCESS_ID = S.u32("SubProcessID", "not used");
  public static final Elements<U8> ENCRYPT_IV = S.bytes("encryptIv", 12, "not used");
  public static final Elements<U8> DECRYPT_IV = S.bytes("decryptIv", 12, "not used");
  public static final Elements<U8> HMAC_NONCE = S.bytes("hmacNonce", 32, "not used");
  public static final U32 TPC_CONFIG_ID = S.u32("tpcConfigID", "not used");
  public static final StructLayout LAYOUT = S.layout();

  private ChannelAlloc() {}
}

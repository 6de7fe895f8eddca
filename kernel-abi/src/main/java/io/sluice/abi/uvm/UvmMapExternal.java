package io.sluice.abi.uvm;

import io.sluice.abi.S32;
import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code UVM_MAP_EXTERNAL_ALLOCATION_PARAMS}: maps an object of RM's in an external range.
 *
 * <p>9264 bytes. Source: uvm_ioctl.h.
 */
public final class UvmMapExternal {
  /** Bytes of the attributes of one GPU. */
  public static final int ATTRIBUTES_OF_ONE = 36;

  /** Bytes of the attributes of all GPUs: 256 of them. */
  public static final int ATTRIBUTES_BYTES = 256 * ATTRIBUTES_OF_ONE;

  private static final Struct S = Struct.aligned("UVM_MAP_EXTERNAL_ALLOCATION_PARAMS");
  public static final U64 BASE = S.u64("base", "in: GPU address");
  public static final U64 LENGTH = S.u64("length", "in: bytes");

  /** Where the attributes begin. */
  public static final long ATTRIBUTES = 24;

  public static final U64 OFFSET = S.u64("offset", "in: in the object, bytes");
  public static final U64 ATTRIBUTES_COUNT =
      S.unusedBytes("perGpuAttributes", ATTRIBUTES_BYTES, "in: how each GPU maps it")
          .u64("gpuAttributesCount", "in: GPUs");
  public static final S32 CONTROL_FD = S.s32("rmCtrlFd", "in: descriptor of the client");
  public static final U32 H_CLIENT = S.u32("hClient", "in: client");
  public static final U32 H_MEMORY = S.u32("hMemory", "in: object");
  public static final StructLayout LAYOUT = S.unused32("rmStatus", "out").layout();

  private UvmMapExternal() {}
}

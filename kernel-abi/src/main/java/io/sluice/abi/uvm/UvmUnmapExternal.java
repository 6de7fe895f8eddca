package io.sluice.abi.uvm;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code UVM_UNMAP_EXTERNAL_PARAMS}: takes from a GPU what was mapped in an external range.
 *
 * <p>40 bytes. Source: uvm_ioctl.h.
 */
public final class UvmUnmapExternal {
  /** Bytes of a GPU's UUID. */
  public static final int GPU_UUID_BYTES = 16;

  private static final Struct S = Struct.aligned("UVM_UNMAP_EXTERNAL_PARAMS");
  public static final U64 BASE = S.u64("base", "in: GPU address");
  public static final U64 LENGTH = S.u64("length", "in: bytes");

  /** Where the UUID begins. */
  public static final long GPU_UUID = 16;

  public static final StructLayout LAYOUT =
      S.unusedBytes("gpuUuid", GPU_UUID_BYTES, "in").unused32("rmStatus", "out").layout();

  private UvmUnmapExternal() {}
}

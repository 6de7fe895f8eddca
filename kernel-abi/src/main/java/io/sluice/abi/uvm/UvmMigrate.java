package io.sluice.abi.uvm;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code UVM_MIGRATE_PARAMS}: brings managed memory to a processor.
 *
 * <p>80 bytes. Source: uvm_ioctl.h.
 */
public final class UvmMigrate {
  private static final Struct S = Struct.aligned("UVM_MIGRATE_PARAMS");
  public static final U64 BASE = S.u64("base", "in: address");
  public static final U64 SEMAPHORE =
      S.unused64("length", "in: bytes")
          .unusedBytes("destinationUuid", 16, "in")
          .unused32("flags", "in")
          .u64("semaphoreAddress", "in: written when done, or 0");
  public static final U32 PAYLOAD = S.u32("semaphorePayload", "in: what is written");
  public static final U32 STATUS =
      S.unused32("cpuNumaNode", "in")
          .unused64("userSpaceStart", "out")
          .unused64("userSpaceLength", "out")
          .u32("rmStatus", "out");
  public static final StructLayout LAYOUT = S.layout();

  private UvmMigrate() {}
}

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
  public static final U64 SEMAPHORE =
      S.unused64("base", "in: address")
          .unused64("length", "in: bytes")
          .unusedBytes("destinationUuid", 16, "in")
          .unused32("flags", "in")
          .u64("semaphoreAddress", "in: written when done, or 0");
  public static final U32 PAYLOAD = S.u32("semaphorePayload", "in: what is written");
  public static final StructLayout LAYOUT =
      S.unused32("cpuNumaNode", "in")
          .unused64("userSpaceStart", "out")
          .unused64("userSpaceLength", "out")
          .unused32("rmStatus", "out")
          .layout();

  private UvmMigrate() {}
}

package io.sluice.abi.uvm;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code UVM_CREATE_EXTERNAL_RANGE_PARAMS}, and alike the arguments of FREE, VALIDATE_VA_RANGE,
 * ENABLE_READ_DUPLICATION, DISABLE_READ_DUPLICATION and UNSET_PREFERRED_LOCATION.
 *
 * <p>24 bytes. Source: uvm_ioctl.h.
 */
public final class UvmRange {
  private static final Struct S = Struct.aligned("UVM_CREATE_EXTERNAL_RANGE_PARAMS");
  public static final U64 BASE = S.u64("base", "in: address");
  public static final U64 LENGTH = S.u64("length", "in: bytes");
  public static final StructLayout LAYOUT = S.unused32("rmStatus", "out").layout();

  private UvmRange() {}
}

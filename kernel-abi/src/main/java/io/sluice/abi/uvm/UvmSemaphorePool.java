package io.sluice.abi.uvm;

import io.sluice.abi.Struct;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code UVM_ALLOC_SEMAPHORE_POOL_PARAMS}: makes memory for semaphores at an address.
 *
 * <p>9248 bytes. Source: uvm_ioctl.h.
 */
public final class UvmSemaphorePool {
  private static final Struct S = Struct.aligned("UVM_ALLOC_SEMAPHORE_POOL_PARAMS");
  public static final U64 BASE = S.u64("base", "in: address of processor and GPU");
  public static final U64 LENGTH = S.u64("length", "in: bytes");

  /** Where the attributes begin; as many as in {@link UvmMapExternal}. */
  public static final long ATTRIBUTES = 16;

  public static final StructLayout LAYOUT =
      S.unusedBytes("perGpuAttributes", UvmMapExternal.ATTRIBUTES_BYTES, "in: how each GPU maps it")
          .unused64("gpuAttributesCount", "in: GPUs")
          .unused32("rmStatus", "out")
          .layout();

  private UvmSemaphorePool() {}
}

package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_VASPACE_ALLOCATION_PARAMETERS}: block of FERMI_VASPACE_A, in the form it has since 580.
 *
 * <p>56 bytes. Source: nvos.h.
 */
public final class VaspaceAlloc {
  private static final Struct S = Struct.aligned("NV_VASPACE_ALLOCATION_PARAMETERS");
  public static final U32 INDEX = S.u32("index", "in: 0, a new one");
  public static final U32 FLAGS = S.u32("flags", "in: 0");
  public static final U64 VA_SIZE = S.u64("vaSize", "in: 0; out: bytes");
  public static final U64 VA_START_INTERNAL = S.u64("vaStartInternal", "in: 0");
  public static final U64 VA_LIMIT_INTERNAL = S.u64("vaLimitInternal", "in: 0");
  public static final U32 BIG_PAGE_SIZE = S.u32("bigPageSize", "in: 0; out: bytes");
  public static final U64 VA_BASE = S.u64("vaBase", "in: 0; out: lowest address");
  public static final U32 PASID = S.u32("pasid", "in: 0");
  public static final StructLayout LAYOUT = S.layout();

  private VaspaceAlloc() {}
}

package io.sluice.abi.rm.alloc;

import io.sluice.abi.Struct;
import java.lang.foreign.StructLayout;

/**
 * {@code NV_VASPACE_ALLOCATION_PARAMETERS}: block of FERMI_VASPACE_A, in the form it has since 580.
 *
 * <p>56 bytes. Source: nvos.h.
 */
public final class VaspaceAlloc {
  private static final Struct S = Struct.aligned("NV_VASPACE_ALLOCATION_PARAMETERS");
  public static final StructLayout LAYOUT =
      S.unused32("index", "in: 0, a new one")
          .unused32("flags", "in: 0")
          .unused64("vaSize", "in: 0; out: bytes")
          .unused64("vaStartInternal", "in: 0")
          .unused64("vaLimitInternal", "in: 0")
          .unused32("bigPageSize", "in: 0; out: bytes")
          .unused64("vaBase", "in: 0; out: lowest address")
          .unused32("pasid", "in: 0")
          .layout();

  private VaspaceAlloc() {}
}

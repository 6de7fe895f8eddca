package io.sluice.abi.guest;

import io.sluice.abi.Struct;
import io.sluice.abi.U32;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/** Arguments of MEM_REGISTER. {@code struct sluice_mem_register}, sluice_abi.h. */
public final class MemRegister {
  private static final Struct S = Struct.aligned("sluice_mem_register");
  public static final U32 FLAGS = S.u32("flags", "in: pscnv GEM flags; SYSRAM memory types");
  public static final U32 COOKIE = S.u32("cookie", "in");
  public static final U64 SIZE_FIELD = S.u64("size", "in: bytes, a multiple of 4096");
  public static final U32 HANDLE = S.u32("handle", "out");
  public static final StructLayout LAYOUT = S.layout();

  private MemRegister() {}
}

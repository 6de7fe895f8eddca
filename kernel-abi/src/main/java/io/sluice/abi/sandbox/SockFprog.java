package io.sluice.abi.sandbox;

import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U64;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sock_fprog}: a filter.
 *
 * <p>16 bytes. Source: linux/filter.h.
 */
final class SockFprog {
  private static final Struct S = Struct.aligned("sock_fprog");
  static final U16 LEN = S.u16("len", "instructions");
  static final U64 FILTER = S.u64("filter", "address of the first");
  static final StructLayout LAYOUT = S.layout();

  private SockFprog() {}
}

package io.sluice.abi.sandbox;

import io.sluice.abi.Struct;
import io.sluice.abi.U16;
import io.sluice.abi.U32;
import io.sluice.abi.U8;
import java.lang.foreign.StructLayout;

/**
 * {@code struct sock_filter}: an instruction of a filter.
 *
 * <p>8 bytes. Source: linux/filter.h.
 */
final class SockFilter {
  private static final Struct S = Struct.aligned("sock_filter");
  static final U16 CODE = S.u16("code", "operation");
  static final U8 JT = S.u8("jt", "instructions to leave out when true");
  static final U8 JF = S.u8("jf", "instructions to leave out when false");
  static final U32 K = S.u32("k", "operand");
  static final StructLayout LAYOUT = S.layout();

  private SockFilter() {}
}
